import type { Section } from "../../panel.ts";

export const parts: Section = {
  id: "parts",
  title: "Parts",
  note: "What is sold, and who supplies it.",
  panels: [
    {
      title: "Best makers",
      unit: "millions of US dollars",
      sql: `select mfgr as maker, round(sum(extendedprice * (1 - discount)) / 1e6, 1) as millions
from lineitem join part using (partkey) group by 1 order by 2 desc, 1`,
      view: { kind: "bars", x: "maker", y: "millions" },
    },
    {
      title: "Parts by size",
      unit: "parts by fives of the size",
      sql: "select (size - 1) / 5 * 5 as size, count(*) as parts from part group by 1 order by 1",
      view: { kind: "columns", x: "size", y: "parts" },
    },
    {
      title: "Cost and price",
      unit: "US dollars: lowest cost; price, of parts of copper",
      sql: `select min(supplycost) as cost, retailprice as price from part join partsupp using (partkey)
where type like '%COPPER' group by partkey, retailprice order by partkey`,
      view: { kind: "points", x: "cost", y: "price" },
    },
    {
      title: "Suppliers by value in stock",
      unit: "US dollars",
      sql: `select format('#%d', suppkey) as supplier, nation.name as nation, round(sum(supplycost * availqty)) as dollars
from partsupp join supplier using (suppkey) join nation using (nationkey)
group by suppkey, nation.name order by dollars desc limit 20`,
      view: { kind: "table" },
    },
  ],
};
