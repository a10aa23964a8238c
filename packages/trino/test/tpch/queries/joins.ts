import type { AnalyticalQuery } from "./analytical-query.ts";

export const joins: readonly AnalyticalQuery[] = [
  {
    question: "the trade balance between each two nations in 1996",
    sql: `WITH trade AS (
        SELECT sn.name AS seller, cn.name AS buyer, l.extendedprice * (1 - l.discount) AS amount
        FROM lineitem l
        JOIN orders o ON o.orderkey = l.orderkey
        JOIN customer c ON c.custkey = o.custkey
        JOIN nation cn ON cn.nationkey = c.nationkey
        JOIN supplier s ON s.suppkey = l.suppkey
        JOIN nation sn ON sn.nationkey = s.nationkey
        WHERE o.orderdate BETWEEN DATE '1996-01-01' AND DATE '1996-12-31' AND sn.nationkey <> cn.nationkey
      ), flows AS (
        SELECT least(seller, buyer) AS one, greatest(seller, buyer) AS other,
          sum(CASE WHEN seller < buyer THEN amount ELSE 0 END) AS forth,
          sum(CASE WHEN seller > buyer THEN amount ELSE 0 END) AS back
        FROM trade GROUP BY 1, 2
      )
      SELECT one, other, CAST(forth AS DECIMAL(18,4)) AS forth, CAST(back AS DECIMAL(18,4)) AS back,
        CAST(forth - back AS DECIMAL(18,4)) AS balance
      FROM flows ORDER BY balance DESC, one, other`,
  },
  {
    question: "the margin of each brand over the cost of its supply, by market segment",
    sql: `SELECT p.brand, c.mktsegment, count(*) AS items,
        CAST(sum(l.extendedprice * (1 - l.discount)) AS DECIMAL(18,4)) AS revenue,
        CAST(sum(ps.supplycost * l.quantity) AS DECIMAL(18,4)) AS cost,
        CAST(sum(l.extendedprice * (1 - l.discount) - ps.supplycost * l.quantity) AS DECIMAL(18,4)) AS margin
      FROM lineitem l
      JOIN partsupp ps ON ps.partkey = l.partkey AND ps.suppkey = l.suppkey
      JOIN part p ON p.partkey = l.partkey
      JOIN orders o ON o.orderkey = l.orderkey
      JOIN customer c ON c.custkey = o.custkey
      GROUP BY p.brand, c.mktsegment
      ORDER BY p.brand, c.mktsegment`,
  },
  {
    question: "the share of late deliveries by region of the supplier and mode of shipment",
    sql: `SELECT r.name AS region, l.shipmode, count(*) AS deliveries,
        count(*) FILTER (WHERE l.receiptdate > l.commitdate) AS late,
        max(date_diff('day', l.commitdate, l.receiptdate)) AS worst_days,
        CAST(count(*) FILTER (WHERE l.receiptdate > l.commitdate) AS DOUBLE) / CAST(count(*) AS DOUBLE) AS share
      FROM lineitem l
      JOIN supplier s ON s.suppkey = l.suppkey
      JOIN nation n ON n.nationkey = s.nationkey
      JOIN region r ON r.regionkey = n.regionkey
      WHERE l.linestatus = 'F'
      GROUP BY r.name, l.shipmode
      ORDER BY region, shipmode`,
  },
  {
    question: "the goods that leave the region of their supplier, by container",
    sql: `SELECT p.container, CAST(sum(l.quantity) AS DECIMAL(18,2)) AS quantity,
        CAST(sum(l.quantity) FILTER (WHERE sn.regionkey <> cn.regionkey) AS DECIMAL(18,2)) AS abroad,
        count(DISTINCT sn.nationkey * 100 + cn.nationkey) AS routes
      FROM lineitem l
      JOIN part p ON p.partkey = l.partkey
      JOIN supplier s ON s.suppkey = l.suppkey
      JOIN nation sn ON sn.nationkey = s.nationkey
      JOIN orders o ON o.orderkey = l.orderkey
      JOIN customer c ON c.custkey = o.custkey
      JOIN nation cn ON cn.nationkey = c.nationkey
      WHERE l.shipinstruct <> 'NONE' AND p.size BETWEEN 10 AND 30
      GROUP BY p.container
      HAVING sum(l.quantity) > 1000
      ORDER BY abroad DESC, p.container`,
  },
  {
    question: "the value that was ordered, and the value that was shipped, in each month that has either",
    sql: `WITH ordered AS (
        SELECT CAST(date_trunc('month', orderdate) AS DATE) AS month, sum(totalprice) AS amount FROM orders GROUP BY 1
      ), shipped AS (
        SELECT CAST(date_trunc('month', shipdate) AS DATE) AS month, sum(extendedprice) AS amount FROM lineitem GROUP BY 1
      )
      SELECT coalesce(o.month, s.month) AS month, CAST(o.amount AS DECIMAL(18,2)) AS ordered, CAST(s.amount AS DECIMAL(18,2)) AS shipped,
        o.month IS NULL AS only_shipped
      FROM ordered o FULL OUTER JOIN shipped s ON s.month = o.month
      ORDER BY 1`,
  },
  {
    question: "the customers without an order in each nation, and what their accounts hold",
    sql: `SELECT n.name AS nation, count(c.custkey) AS customers, count(o.custkey) AS buyers,
        CAST(sum(c.acctbal) FILTER (WHERE o.custkey IS NULL) AS DECIMAL(18,2)) AS idle_balance,
        array_agg(DISTINCT c.mktsegment ORDER BY c.mktsegment) FILTER (WHERE o.custkey IS NULL) AS idle_segments
      FROM nation n
      LEFT JOIN customer c ON c.nationkey = n.nationkey
      LEFT JOIN (SELECT DISTINCT custkey FROM orders) o ON o.custkey = c.custkey
      GROUP BY n.name
      ORDER BY n.name`,
  },
];
