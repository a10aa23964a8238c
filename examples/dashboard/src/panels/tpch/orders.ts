import type { Section } from "../../panel.ts";

export const orders: Section = {
  id: "orders",
  title: "Orders",
  note: "Seven years of orders of a wholesaler.",
  figures: [
    {
      title: "Orders in the table",
      unit: "orders",
      sql: "select count(*) as orders from orders",
      view: { kind: "figure", y: "orders" },
    },
    {
      title: "Revenue",
      unit: "millions of US dollars, less discounts",
      sql: "select round(sum(extendedprice * (1 - discount)) / 1e6, 1) as millions from lineitem",
      view: { kind: "figure", y: "millions" },
    },
    {
      title: "On time",
      unit: "% of items by the agreed date",
      sql: "select round(1e2 * count_if(receiptdate <= commitdate) / count(*), 1) as share from lineitem",
      view: { kind: "figure", y: "share" },
    },
    {
      title: "Largest order",
      unit: "US dollars",
      sql: "select max(totalprice) as dollars from orders",
      view: { kind: "figure", y: "dollars" },
    },
  ],
  panels: [
    {
      title: "Orders by month",
      unit: "orders",
      sql: `select date_format(orderdate, '%Y-%m') as month, count(*) as orders
from orders where orderdate < date '1998-08-01' group by 1 order by 1`,
      view: { kind: "lines", x: "month", y: "orders" },
    },
    {
      title: "Revenue by region",
      unit: "millions of US dollars by year",
      sql: `select year(orderdate) as year, region.name as region, round(sum(totalprice) / 1e6, 1) as millions
from orders join customer using (custkey) join nation using (nationkey) join region on region.regionkey = nation.regionkey
where orderdate < date '1998-01-01' group by 1, 2 order by 1, 2`,
      view: { kind: "lines", x: "year", y: "millions", series: "region" },
    },
    {
      title: "Largest markets",
      unit: "millions of US dollars",
      sql: `select nation.name as nation, round(sum(totalprice) / 1e6, 1) as millions
from orders join customer using (custkey) join nation using (nationkey) group by 1 order by 2 desc, 1 limit 8`,
      view: { kind: "bars", x: "nation", y: "millions" },
    },
    {
      title: "Days until an item is sent",
      unit: "items by tens of days after the order",
      sql: `select date_diff('day', orderdate, shipdate) / 10 * 10 as days, count(*) as items
from orders join lineitem using (orderkey) group by 1 order by 1`,
      view: { kind: "columns", x: "days", y: "items" },
    },
    {
      title: "Late by month",
      unit: "% of items after the agreed date",
      sql: `select month(receiptdate) as month, round(1e2 * count_if(receiptdate > commitdate) / count(*), 1) as share
from lineitem group by 1 order by 1`,
      view: { kind: "columns", x: "month", y: "share" },
    },
    {
      title: "Ways to send",
      unit: "items",
      sql: "select shipmode as mode, count(*) as items from lineitem group by 1 order by 2 desc, 1",
      view: { kind: "bars", x: "mode", y: "items" },
    },
    {
      title: "Items and price of an order",
      unit: "items; US dollars, in December 1997",
      sql: `select sum(quantity) as items, totalprice as dollars from orders join lineitem using (orderkey)
where orderdate between date '1997-12-01' and date '1997-12-31' group by orderkey, totalprice order by orderkey`,
      view: { kind: "points", x: "items", y: "dollars" },
    },
    {
      title: "Largest orders",
      unit: "US dollars",
      sql: `select format('#%d', orderkey) as "order", nation.name as nation, totalprice as dollars
from orders join customer using (custkey) join nation using (nationkey) order by totalprice desc limit 20`,
      view: { kind: "table" },
    },
  ],
};
