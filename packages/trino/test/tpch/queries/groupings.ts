import type { AnalyticalQuery } from "./analytical-query.ts";

export const groupings: readonly AnalyticalQuery[] = [
  {
    question: "sales by region and year, with the totals of both",
    sql: `WITH sales AS (
        SELECT r.name AS region, extract(year FROM o.orderdate) AS year, o.totalprice
        FROM orders o
        JOIN customer c ON c.custkey = o.custkey
        JOIN nation n ON n.nationkey = c.nationkey
        JOIN region r ON r.regionkey = n.regionkey
      )
      SELECT region, year, CAST(grouping(region, year) AS BIGINT) AS level, count(*) AS orders, CAST(sum(totalprice) AS DECIMAL(18,2)) AS amount
      FROM sales GROUP BY GROUPING SETS ((region, year), (region), (year), ())
      ORDER BY level, region NULLS LAST, year NULLS LAST`,
  },
  {
    question: "returned goods by year, quarter and month",
    sql: `WITH returned AS (
        SELECT extract(year FROM receiptdate) AS year, extract(quarter FROM receiptdate) AS quarter,
          extract(month FROM receiptdate) AS month, quantity, extendedprice * (1 - discount) AS amount
        FROM lineitem WHERE returnflag = 'R'
      )
      SELECT year, quarter, month, count(*) AS items, CAST(sum(quantity) AS DECIMAL(18,2)) AS quantity,
        CAST(sum(amount) AS DECIMAL(18,4)) AS amount
      FROM returned GROUP BY ROLLUP (year, quarter, month)
      ORDER BY year NULLS LAST, quarter NULLS LAST, month NULLS LAST`,
  },
  {
    question: "items by mode, instruction and state of shipment, and all their totals",
    sql: `SELECT shipmode, shipinstruct, returnflag, CAST(grouping(shipmode, shipinstruct, returnflag) AS BIGINT) AS level,
        count(*) AS items, count(DISTINCT suppkey) AS suppliers, min(shipdate) AS first_date, max(discount) AS highest_discount
      FROM lineitem
      GROUP BY CUBE (shipmode, shipinstruct, returnflag)
      ORDER BY level, shipmode NULLS LAST, shipinstruct NULLS LAST, returnflag NULLS LAST`,
  },
  {
    question: "the age of open orders by priority",
    sql: `WITH open_orders AS (
        SELECT orderpriority, totalprice, date_diff('day', orderdate, DATE '1998-08-02') AS days
        FROM orders WHERE orderstatus = 'O'
      )
      SELECT orderpriority, CASE WHEN days < 180 THEN 'new' WHEN days < 540 THEN 'due' ELSE 'overdue' END AS age,
        count(*) AS orders, CAST(sum(totalprice) AS DECIMAL(18,2)) AS amount, max(days) AS oldest
      FROM open_orders GROUP BY 1, 2 ORDER BY 1, 2`,
  },
  {
    question: "the cents between the tax of an order that is rounded once, and by item",
    sql: `WITH taxes AS (
        SELECT o.orderkey, o.orderdate, round(sum(l.extendedprice * (1 - l.discount) * l.tax), 2) AS once,
          sum(round(l.extendedprice * (1 - l.discount) * l.tax, 2)) AS by_item
        FROM orders o JOIN lineitem l ON l.orderkey = o.orderkey
        GROUP BY o.orderkey, o.orderdate
      )
      SELECT extract(year FROM orderdate) AS year, CAST(once - by_item AS DECIMAL(9,2)) AS difference, count(*) AS orders,
        CAST(sum(once) AS DECIMAL(18,2)) AS tax
      FROM taxes GROUP BY 1, 2 ORDER BY 1, 2`,
  },
  {
    question: "the colours that names of parts begin with, and the metals they are made of",
    sql: `SELECT substr(name, 1, strpos(name, ' ') - 1) AS colour, count(*) AS parts,
        count(*) FILTER (WHERE type LIKE '%BRASS') AS brass, count(*) FILTER (WHERE type LIKE '%COPPER') AS copper,
        upper(min(container)) || '/' || lower(max(brand)) AS range, CAST(sum(retailprice) AS DECIMAL(18,2)) AS prices
      FROM part GROUP BY 1 HAVING count(*) >= 15 ORDER BY parts DESC, colour`,
  },
  {
    question: "the prefixes of telephone numbers by nation, and words of complaint",
    sql: `SELECT n.name AS nation, substr(x.phone, 1, 2) AS prefix, x.kind, count(*) AS numbers,
        count(*) FILTER (WHERE x.comment LIKE '%carefully%') AS careful, max(length(x.comment)) AS longest_comment
      FROM (
        SELECT nationkey, phone, comment, 'customer' AS kind FROM customer
        UNION ALL
        SELECT nationkey, phone, comment, 'supplier' FROM supplier
      ) x
      JOIN nation n ON n.nationkey = x.nationkey
      GROUP BY n.name, substr(x.phone, 1, 2), x.kind
      ORDER BY nation, kind`,
  },
];
