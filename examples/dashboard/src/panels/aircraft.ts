import type { Section } from "../panel.ts";

export const aircraft: Section = {
  id: "aircraft",
  title: "Flights",
  note: "Three million domestic flights in the United States.",
  figures: [
    {
      title: "Flights in the table",
      unit: "flights",
      sql: "select count(*) as flights from flights",
      view: { kind: "figure", y: "flights" },
    },
    {
      title: "On time",
      unit: "% less than 15 minutes late",
      sql: "select round(100.0 * count(*) filter (delay < 15) / count(*), 1)::double as share from flights",
      view: { kind: "figure", y: "share" },
    },
    {
      title: "Farthest flight",
      unit: "miles",
      sql: "select max(distance) as miles from flights",
      view: { kind: "figure", y: "miles" },
    },
    {
      title: "Worst delay",
      unit: "hours",
      sql: "select round(max(delay) / 60, 1)::double as hours from flights",
      view: { kind: "figure", y: "hours" },
    },
  ],
  panels: [
    {
      title: "Day by day",
      unit: "flights",
      sql: "select strftime(date, '%Y-%m-%d') as day, count(*) as flights from flights group by day having count(*) > 1000 order by day",
      view: { kind: "lines", x: "day", y: "flights" },
    },
    {
      title: "Departures through the day",
      unit: "flights by hour",
      sql: "select hour(date) as hour, count(*) as flights from flights group by hour order by hour",
      view: { kind: "columns", x: "hour", y: "flights" },
    },
    {
      title: "Delay through the day",
      unit: "mean minutes by hour of departure",
      sql: "select hour(date) as hour, round(avg(delay), 1) as minutes from flights group by hour having count(*) > 1000 order by hour",
      view: { kind: "lines", x: "hour", y: "minutes" },
    },
    {
      title: "Delay through the week",
      unit: "mean minutes by weekday",
      sql: "select strftime(date, '%a') as day, round(avg(delay), 1) as minutes from flights group by day, isodow(date) order by isodow(date)",
      view: { kind: "columns", x: "day", y: "minutes" },
    },
    {
      title: "Busiest airports",
      unit: "departures",
      sql: `select coalesce(city, origin) as city, count(*) as departures
from flights left join airports on iata = origin group by all order by departures desc limit 8`,
      view: { kind: "bars", x: "city", y: "departures" },
    },
    {
      title: "Longest waits",
      unit: "mean minutes of delay at large airports",
      sql: `select coalesce(city, origin) as city, round(avg(delay), 1) as minutes
from flights left join airports on iata = origin group by city, origin having count(*) >= 10000 order by minutes desc limit 8`,
      view: { kind: "bars", x: "city", y: "minutes" },
    },
    {
      title: "Delay by distance",
      unit: "mean minutes by hundreds of miles",
      sql: `select distance // 100 * 100 as miles, round(avg(delay), 1) as minutes
from flights group by miles having count(*) > 1000 order by miles`,
      view: { kind: "points", x: "miles", y: "minutes" },
    },
    {
      title: "Busiest routes",
      unit: "flights each way; miles",
      sql: `select origin as "from", destination as "to", count(*) as flights, any_value(distance) as miles
from flights group by all order by flights desc, 1, 2 limit 20`,
      view: { kind: "table" },
    },
  ],
};
