import type { Section } from "../panel.ts";

export const cars: Section = {
  id: "cars",
  title: "Cars",
  note: "Cars of the years 1970 to 1982.",
  panels: [
    {
      title: "Power and thirst",
      unit: "horsepower; miles a gallon",
      sql: `select horsepower, miles_per_gallon, origin from cars
where horsepower is not null and miles_per_gallon is not null order by origin, name, year`,
      view: { kind: "points", x: "horsepower", y: "miles_per_gallon", series: "origin" },
    },
    {
      title: "Farther on a gallon",
      unit: "mean miles a gallon by model year",
      sql: `select year(year) as year, origin, round(avg(miles_per_gallon), 1) as miles
from cars group by all order by 1, origin`,
      view: { kind: "lines", x: "year", y: "miles", series: "origin" },
    },
    {
      title: "Where cars come from",
      unit: "models",
      sql: "select origin, count(*) as models from cars group by origin order by models desc",
      view: { kind: "bars", x: "origin", y: "models" },
    },
    {
      title: "Most powerful",
      unit: "horsepower; seconds to 60 miles an hour",
      sql: "select name, horsepower, acceleration as seconds from cars order by horsepower desc nulls last, name limit 20",
      view: { kind: "table" },
    },
  ],
};
