import type { Section } from "../../panel.ts";

export const customers: Section = {
  id: "customers",
  title: "Customers",
  note: "Who buys, and how often.",
  panels: [
    {
      title: "Customers by trade",
      unit: "customers",
      sql: "select mktsegment as trade, count(*) as customers from customer group by 1 order by 2 desc, 1",
      view: { kind: "bars", x: "trade", y: "customers" },
    },
    {
      title: "Orders of a customer",
      unit: "customers by number of orders",
      sql: `select orders, count(*) as customers
from (select custkey, count(orderkey) as orders from customer left join orders using (custkey) group by custkey)
group by orders order by orders`,
      view: { kind: "columns", x: "orders", y: "customers" },
    },
    {
      title: "Balance and purchases",
      unit: "US dollars, of customers in Europe",
      sql: `select acctbal as balance, round(sum(totalprice)) as purchases, nation.name as nation
from customer join orders using (custkey) join nation using (nationkey)
where regionkey = 3 and nation.name in ('FRANCE', 'GERMANY') group by custkey, acctbal, nation.name order by custkey`,
      view: { kind: "points", x: "balance", y: "purchases", series: "nation" },
    },
    {
      title: "Best customers",
      unit: "US dollars; rank in the nation",
      sql: `select format('#%d', custkey) as customer, nation.name as nation, round(sum(totalprice)) as dollars,
  rank() over (partition by nation.name order by sum(totalprice) desc) as rank
from customer join orders using (custkey) join nation using (nationkey)
group by custkey, nation.name order by dollars desc limit 20`,
      view: { kind: "table" },
    },
  ],
};
