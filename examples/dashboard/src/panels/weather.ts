import type { Section } from "../panel.ts";

export const weather: Section = {
  id: "weather",
  title: "Weather",
  note: "Seattle, day by day, 2012 to 2015.",
  panels: [
    {
      title: "Warmth through the year",
      unit: "°C, mean of the month",
      sql: `select strftime(date, '%m') as month, kind, round(avg(degrees), 1) as degrees
from (unpivot weather on temp_max as "by day", temp_min as "by night" into name kind value degrees)
group by all order by month, kind`,
      view: { kind: "lines", x: "month", y: "degrees", series: "kind" },
    },
    {
      title: "Rain through the year",
      unit: "mm a month, mean of the years",
      sql: `select strftime(date, '%m') as month, round(sum(precipitation) / 4, 1) as millimetres
from weather group by month order by month`,
      view: { kind: "columns", x: "month", y: "millimetres" },
    },
    {
      title: "Days by weather",
      unit: "days",
      sql: "select weather, count(*) as days from weather group by weather order by days desc",
      view: { kind: "bars", x: "weather", y: "days" },
    },
    {
      title: "Warmest days",
      unit: "°C; wind in m/s",
      sql: `select strftime(date, '%Y-%m-%d') as day, temp_max as high, temp_min as low, wind
from weather order by temp_max desc, date limit 20`,
      view: { kind: "table" },
    },
  ],
};
