import type { AnalyticalQuery } from "./analytical-query.ts";

export const subqueries: readonly AnalyticalQuery[] = [
  {
    question: "orders of more than twice the average of their customer",
    sql: `SELECT o.orderkey, o.custkey, o.orderdate, o.totalprice
      FROM orders o
      WHERE o.totalprice * (SELECT count(*) FROM orders b WHERE b.custkey = o.custkey)
        > 2 * (SELECT sum(b.totalprice) FROM orders b WHERE b.custkey = o.custkey)
      ORDER BY o.orderkey`,
  },
  {
    question: "suppliers that nobody undercuts for a part, with the next price",
    sql: `SELECT s.name AS supplier, p.partkey, p.name AS part, ps.supplycost,
        (SELECT min(n.supplycost) FROM partsupp n WHERE n.partkey = ps.partkey AND n.suppkey <> ps.suppkey) AS next_price
      FROM partsupp ps
      JOIN supplier s ON s.suppkey = ps.suppkey
      JOIN part p ON p.partkey = ps.partkey
      WHERE p.container LIKE 'LG%' AND p.type LIKE '%STEEL'
        AND NOT EXISTS (
          SELECT 1 FROM partsupp b
          WHERE b.partkey = ps.partkey AND b.suppkey <> ps.suppkey AND b.supplycost <= ps.supplycost)
      ORDER BY s.name, p.partkey`,
  },
  {
    question: "customers in debt who have bought from suppliers of all regions",
    sql: `SELECT c.custkey, c.name, c.mktsegment
      FROM customer c
      WHERE c.acctbal < 0 AND (SELECT count(*) FROM region) = (
        SELECT count(DISTINCT n.regionkey)
        FROM orders o
        JOIN lineitem l ON l.orderkey = o.orderkey
        JOIN supplier s ON s.suppkey = l.suppkey
        JOIN nation n ON n.nationkey = s.nationkey
        WHERE o.custkey = c.custkey)
      ORDER BY c.custkey`,
  },
  {
    question: "the last order of each customer of one nation, and how long ago the one before was",
    sql: `SELECT c.name, o.orderdate, o.orderstatus, o.totalprice,
        date_diff('day', (SELECT max(b.orderdate) FROM orders b WHERE b.custkey = c.custkey AND b.orderdate < o.orderdate), o.orderdate) AS days_since
      FROM customer c
      JOIN orders o ON o.custkey = c.custkey
      WHERE c.nationkey = (SELECT nationkey FROM nation WHERE name = 'PERU')
        AND o.orderdate = (SELECT max(m.orderdate) FROM orders m WHERE m.custkey = c.custkey)
      ORDER BY c.name, o.orderkey`,
  },
  {
    question: "stock that the orders of half a year would have emptied",
    sql: `SELECT ps.partkey, ps.suppkey, ps.availqty,
        CAST((SELECT sum(l.quantity) FROM lineitem l WHERE l.partkey = ps.partkey AND l.suppkey = ps.suppkey
          AND l.shipdate >= DATE '1995-07-01' AND l.shipdate < CAST(DATE '1995-07-01' + INTERVAL '6' MONTH AS DATE)) AS DECIMAL(18,2)) AS shipped
      FROM partsupp ps
      WHERE ps.availqty < (SELECT sum(l.quantity) FROM lineitem l WHERE l.partkey = ps.partkey AND l.suppkey = ps.suppkey
        AND l.shipdate >= DATE '1995-07-01' AND l.shipdate < CAST(DATE '1995-07-01' + INTERVAL '6' MONTH AS DATE))
      ORDER BY ps.partkey, ps.suppkey`,
  },
  {
    question: "nations whose poorest supplier has more than every customer in debt owes",
    sql: `SELECT n.name AS nation, CAST(min(s.acctbal) AS DECIMAL(12,2)) AS poorest,
        CAST((SELECT max(-c.acctbal) FROM customer c WHERE c.nationkey = n.nationkey) AS DECIMAL(12,2)) AS largest_debt
      FROM nation n
      JOIN supplier s ON s.nationkey = n.nationkey
      GROUP BY n.nationkey, n.name
      HAVING min(s.acctbal) > (SELECT max(-c.acctbal) FROM customer c WHERE c.nationkey = n.nationkey)
      ORDER BY n.name`,
  },
  {
    question: "customers of 1995 who did not come back in 1996, and those who did",
    sql: `WITH years AS (SELECT DISTINCT custkey, extract(year FROM orderdate) AS year FROM orders),
      kinds AS (
        SELECT custkey, 'lost' AS kind FROM (SELECT custkey FROM years WHERE year = 1995 EXCEPT SELECT custkey FROM years WHERE year = 1996) l
        UNION ALL
        SELECT custkey, 'kept' FROM (SELECT custkey FROM years WHERE year = 1995 INTERSECT SELECT custkey FROM years WHERE year = 1996) k
      )
      SELECT k.kind, c.mktsegment, count(*) AS customers, CAST(sum(c.acctbal) AS DECIMAL(18,2)) AS balance
      FROM kinds k JOIN customer c ON c.custkey = k.custkey
      GROUP BY k.kind, c.mktsegment
      ORDER BY k.kind, c.mktsegment`,
  },
];
