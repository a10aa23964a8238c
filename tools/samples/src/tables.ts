/** Table of the samples: the source of its rows, and their cleaning. */
export interface SampleTable {
  readonly name: string;
  /** Content of the rows, kept as the table's comment. */
  readonly comment: string;
  /** File in `vega-datasets/data`. */
  readonly file: string;
  /** DuckDB expression that reads the file; `$file` is its path. */
  readonly reader: string;
  /** Columns of the table as SQL over the columns of the file. */
  readonly columns: string;
  readonly orderBy: string;
}

const json = "read_json($file)";
const csv = "read_csv($file)";

export const sampleTables: readonly SampleTable[] = [
  {
    name: "airports",
    comment: "Airports of the United States",
    file: "airports.csv",
    reader: csv,
    columns: "iata, name, city, state, country, latitude, longitude",
    orderBy: "iata",
  },
  {
    name: "birdstrikes",
    comment: "Strikes of aircraft by wildlife in the United States; cost in US dollars",
    file: "birdstrikes.csv",
    reader: csv,
    columns: `"Flight Date"::DATE AS flight_date, "Airport Name" AS airport, "Aircraft Make Model" AS aircraft,
      "Aircraft Airline Operator" AS operator, "Origin State" AS origin_state, "Phase of flight" AS phase,
      "Time of day" AS time_of_day, "Wildlife Species" AS species, "Wildlife Size" AS wildlife_size,
      "Effect Amount of damage" AS damage, "Cost Total $"::INTEGER AS cost, "Speed IAS in knots"::INTEGER AS speed_knots`,
    orderBy: "flight_date, airport, species",
  },
  {
    name: "cars",
    comment: "Cars of the years 1970 to 1982; `year` is the first of January of the model year",
    file: "cars.json",
    reader: json,
    columns: `"Name" AS name, "Origin" AS origin, "Year"::DATE AS year, "Cylinders"::INTEGER AS cylinders,
      "Miles_per_Gallon" AS miles_per_gallon, "Horsepower"::INTEGER AS horsepower,
      "Displacement" AS displacement, "Weight_in_lbs"::INTEGER AS weight_lbs, "Acceleration" AS acceleration`,
    orderBy: "year, name",
  },
  {
    name: "countries",
    comment: "Life expectancy, fertility and population of countries every five years; from Gapminder",
    file: "gapminder.json",
    reader: json,
    columns: `country, year::INTEGER AS year, pop AS population, life_expect AS life_expectancy, fertility,
      cluster::INTEGER AS cluster`,
    orderBy: "country, year",
  },
  {
    name: "disasters",
    comment: "Deaths by natural disasters in the world, by kind and year",
    file: "disasters.csv",
    reader: csv,
    columns: `"Entity" AS kind, "Year"::INTEGER AS year, "Deaths" AS deaths`,
    orderBy: "kind, year",
  },
  {
    name: "flights",
    comment: "Domestic flights in the United States; delay in minutes, distance in miles",
    file: "flights-3m.parquet",
    reader: "read_parquet($file)",
    columns: "date, origin, destination, delay::INTEGER AS delay, distance::INTEGER AS distance",
    orderBy: "date, origin, destination",
  },
  {
    name: "movies",
    comment: "Films with their ratings and takings in US dollars",
    file: "movies.json",
    reader: json,
    columns: `"Title" ->> '$' AS title, try_strptime("Release Date", '%b %d %Y')::DATE AS release_date,
      "Major Genre" AS genre, "Director" AS director, "Distributor" AS distributor, "MPAA Rating" AS mpaa_rating,
      "Running Time min"::INTEGER AS running_minutes, "Production Budget" AS budget, "US Gross" AS us_gross,
      "Worldwide Gross" AS worldwide_gross, "IMDB Rating" AS imdb_rating, "IMDB Votes"::INTEGER AS imdb_votes,
      "Rotten Tomatoes Rating"::INTEGER AS rotten_tomatoes_rating`,
    orderBy: "title, release_date",
  },
  {
    name: "penguins",
    comment: "Penguins measured at Palmer Station, Antarctica",
    file: "penguins.json",
    reader: json,
    columns: `"Species" AS species, "Island" AS island, nullif("Sex", '.') AS sex,
      "Beak Length (mm)" AS beak_length_mm, "Beak Depth (mm)" AS beak_depth_mm,
      "Flipper Length (mm)"::INTEGER AS flipper_length_mm, "Body Mass (g)"::INTEGER AS body_mass_g`,
    orderBy: "species, island",
  },
  {
    name: "stocks",
    comment: "Prices of five technology stocks at the start of each month, 2000 to 2010, in US dollars",
    file: "stocks.csv",
    reader: csv,
    columns: "symbol, strptime(date, '%b %d %Y')::DATE AS date, price",
    orderBy: "symbol, date",
  },
  {
    name: "weather",
    comment: "The weather of Seattle, day by day, 2012 to 2015; degrees Celsius, millimetres, metres a second",
    file: "seattle-weather.csv",
    reader: csv,
    columns: "date::DATE AS date, weather, precipitation, temp_max, temp_min, wind",
    orderBy: "date",
  },
];
