import type { Section } from "../panel.ts";

export const countries: Section = {
  id: "countries",
  title: "Countries",
  note: "Life expectancy, fertility and population every five years, 1955 to 2005.",
  panels: [
    {
      title: "Longer lives",
      unit: "years of life expected at birth",
      sql: `select year, country, life_expectancy from countries
where country in ('China', 'India', 'Japan', 'Nigeria', 'United States') order by year, country`,
      view: { kind: "lines", x: "year", y: "life_expectancy", series: "country" },
    },
    {
      title: "Fewer children, longer lives",
      unit: "children a woman; years of life, in 1955 and 2005",
      sql: `select fertility as children, life_expectancy as years, year from countries
where year in (1955, 2005) order by year, country`,
      view: { kind: "points", x: "children", y: "years", series: "year" },
    },
    {
      title: "Most people",
      unit: "people in 2005",
      sql: "select country, population from countries where year = 2005 order by population desc limit 8",
      view: { kind: "bars", x: "country", y: "population" },
    },
    {
      title: "Most years won",
      unit: "years of life expected, 1955 and 2005",
      sql: `select country, min(life_expectancy) filter (year = 1955) as "1955", min(life_expectancy) filter (year = 2005) as "2005"
from countries group by country order by "2005" - "1955" desc limit 20`,
      view: { kind: "table" },
    },
  ],
};
