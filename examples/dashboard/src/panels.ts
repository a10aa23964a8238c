import type { Section } from "./panel.ts";
import { aircraft } from "./panels/aircraft.ts";
import { cars } from "./panels/cars.ts";
import { countries } from "./panels/countries.ts";
import { films } from "./panels/films.ts";
import { nature } from "./panels/nature.ts";
import { stocks } from "./panels/stocks.ts";
import { weather } from "./panels/weather.ts";

export const sections: readonly Section[] = [aircraft, weather, countries, films, cars, stocks, nature];
