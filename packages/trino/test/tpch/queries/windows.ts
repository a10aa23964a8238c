import type { AnalyticalQuery } from "./analytical-query.ts";

export const windows: readonly AnalyticalQuery[] = [
  {
    question: "the running revenue of each year, and the share of each month",
    sql: `WITH months AS (
        SELECT extract(year FROM orderdate) AS year, extract(month FROM orderdate) AS month, sum(totalprice) AS amount
        FROM orders GROUP BY 1, 2
      )
      SELECT year, month, CAST(amount AS DECIMAL(18,2)) AS amount,
        CAST(sum(amount) OVER (PARTITION BY year ORDER BY month) AS DECIMAL(18,2)) AS running,
        CAST(amount AS DOUBLE) / CAST(sum(amount) OVER (PARTITION BY year) AS DOUBLE) AS share
      FROM months ORDER BY year, month`,
  },
  {
    question: "the three best customers of each nation",
    sql: `WITH sales AS (
        SELECT n.name AS nation, c.custkey, c.name AS customer, sum(o.totalprice) AS amount
        FROM orders o JOIN customer c ON c.custkey = o.custkey JOIN nation n ON n.nationkey = c.nationkey
        GROUP BY n.name, c.custkey, c.name
      ), ranked AS (
        SELECT nation, customer, amount, rank() OVER (PARTITION BY nation ORDER BY amount DESC, custkey) AS place,
          amount - lead(amount) OVER (PARTITION BY nation ORDER BY amount DESC, custkey) AS ahead
        FROM sales
      )
      SELECT nation, place, customer, CAST(amount AS DECIMAL(18,2)) AS amount, CAST(ahead AS DECIMAL(18,2)) AS ahead
      FROM ranked WHERE place <= 3 ORDER BY nation, place`,
  },
  {
    question: "the days between two orders of a customer, in steps of 50",
    sql: `WITH gaps AS (
        SELECT c.mktsegment, date_diff('day',
          lag(o.orderdate) OVER (PARTITION BY o.custkey ORDER BY o.orderdate, o.orderkey), o.orderdate) AS days
        FROM orders o JOIN customer c ON c.custkey = o.custkey
      )
      SELECT mktsegment, days - days % 50 AS from_days, count(*) AS pairs, min(days) AS shortest, max(days) AS longest
      FROM gaps WHERE days IS NOT NULL
      GROUP BY 1, 2 ORDER BY 1, 2`,
  },
  {
    question: "orders of each region beside those of the three months around",
    sql: `WITH months AS (
        SELECT r.name AS region, CAST(date_trunc('month', o.orderdate) AS DATE) AS month, count(*) AS orders, sum(o.totalprice) AS amount
        FROM orders o
        JOIN customer c ON c.custkey = o.custkey
        JOIN nation n ON n.nationkey = c.nationkey
        JOIN region r ON r.regionkey = n.regionkey
        GROUP BY 1, 2
      )
      SELECT region, month, orders, sum(orders) OVER around AS orders_around, count(*) OVER around AS months_around,
        CAST(sum(amount) OVER around AS DOUBLE) / CAST(sum(orders) OVER around AS DOUBLE) AS average_around,
        first_value(orders) OVER around AS before, last_value(orders) OVER around AS after
      FROM months
      WINDOW around AS (PARTITION BY region ORDER BY month ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)
      ORDER BY region, month`,
  },
  {
    question: "the large orders of a few clerks, with all that each booked in the 30 days before",
    sql: `WITH booked AS (
        SELECT orderkey, clerk, orderdate, totalprice,
          count(*) OVER (PARTITION BY clerk ORDER BY orderdate RANGE BETWEEN INTERVAL '30' DAY PRECEDING AND CURRENT ROW) AS orders,
          sum(totalprice) OVER (PARTITION BY clerk ORDER BY orderdate RANGE BETWEEN INTERVAL '30' DAY PRECEDING AND CURRENT ROW) AS amount
        FROM orders WHERE clerk < 'Clerk#000000200'
      )
      SELECT clerk, orderdate, orderkey, totalprice, orders, CAST(amount AS DECIMAL(18,2)) AS amount
      FROM booked WHERE totalprice > 280000 OR orders > 3
      ORDER BY clerk, orderdate, orderkey`,
  },
  {
    question: "the quarters of the price list of each manufacturer",
    sql: `WITH quarters AS (
        SELECT mfgr, partkey, retailprice, size, ntile(4) OVER (PARTITION BY mfgr ORDER BY retailprice, partkey) AS quarter,
          dense_rank() OVER (PARTITION BY mfgr ORDER BY size) AS size_place
        FROM part
      )
      SELECT mfgr, quarter, count(*) AS parts, min(retailprice) AS lowest, max(retailprice) AS highest,
        max_by(partkey, retailprice * 100000 + partkey) AS dearest_part, sum(size_place) AS size_places
      FROM quarters GROUP BY mfgr, quarter ORDER BY mfgr, quarter`,
  },
  {
    question: "the longest series of months in a row in which a customer ordered",
    sql: `WITH months AS (
        SELECT DISTINCT custkey, extract(year FROM orderdate) * 12 + extract(month FROM orderdate) AS month FROM orders
      ), islands AS (
        SELECT custkey, month, month - row_number() OVER (PARTITION BY custkey ORDER BY month) AS island FROM months
      ), series AS (
        SELECT custkey, island, min(month) AS first_month, count(*) AS months FROM islands GROUP BY custkey, island
      )
      SELECT c.name, s.months, s.first_month
      FROM series s JOIN customer c ON c.custkey = s.custkey
      WHERE s.months >= 4
      ORDER BY s.months DESC, c.name, s.first_month`,
  },
];
