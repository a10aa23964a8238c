import type { Section } from "../panel.ts";

export const stocks: Section = {
  id: "stocks",
  title: "Stocks",
  note: "Five technology stocks at the start of each month, 2000 to 2010.",
  panels: [
    {
      title: "Prices",
      unit: "US dollars",
      sql: "select strftime(date, '%Y-%m') as month, symbol, price from stocks order by date, symbol",
      view: { kind: "lines", x: "month", y: "price", series: "symbol" },
    },
    {
      title: "Growth of 100 dollars",
      unit: "US dollars at the end",
      sql: `select symbol, round(100 * arg_max(price, date) / arg_min(price, date), 0) as dollars
from stocks group by symbol order by dollars desc`,
      view: { kind: "bars", x: "symbol", y: "dollars" },
    },
    {
      title: "Better than the month before",
      unit: "% of months",
      sql: `select symbol, round(100.0 * count(*) filter (price > before) / count(*), 1)::double as share
from (select *, lag(price) over (partition by symbol order by date) as before from stocks)
where before is not null group by symbol order by share desc`,
      view: { kind: "bars", x: "symbol", y: "share" },
    },
    {
      title: "Best months",
      unit: "% of change against the month before",
      sql: `select strftime(date, '%Y-%m') as month, symbol, round(100 * (price / before - 1), 1) as change
from (select *, lag(price) over (partition by symbol order by date) as before from stocks)
where before is not null order by change desc limit 20`,
      view: { kind: "table" },
    },
  ],
};
