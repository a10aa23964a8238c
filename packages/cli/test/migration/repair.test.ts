import { expect, it } from "vitest";
import { repaired } from "../../src/migration/repair.ts";

// The values of the rewrites are read from DuckDB in a long test. These are forms that a text can have.
it.each([
  [
    "select 'nvl(a, 0)' as t, nvl(a, 'b)') /* nvl(a) */ -- data:name",
    "select 'nvl(a, 0)' as t, coalesce(a, 'b)') /* nvl(a) */ -- data:name",
  ],
  ["NVL(IFF(a, b, c), -- first\n 0)", "coalesce(if(a, b, c), 0)"],
  ['my.nvl(a, b) + "nvl"(a)', 'my.nvl(a, b) + "nvl"(a)'],
  ["max_by(a, b) over (order by nvl(c, 0) desc)", "arg_max_null(a, b) over (order by coalesce(c, 0) desc nulls first)"],
  ["dateadd(hour, -n, current_date)", "(current_date + interval (-n) hour)"],
  ["dateadd(month, 1, a::date)", "(a::date + interval 1 month)::date"],
  ["a:b[0].\"C d\"['e'] = 'x'", "(a ->> '$.b[0].\"C d\".\"e\"') = 'x'"],
  ['f(a:b)[1]:c::int, t."D":e::variant', "(f((a ->> '$.b'))[1] ->> '$.c')::hugeint, (t.\"D\" -> '$.e')"],
  [
    "a::int, cast(a as float), a as int, a::number(10, 2)",
    "a::hugeint, cast(a as double), a as int, a::decimal(10, 2)",
  ],
  ["a not like all ('x%', '%y')", "(not (a like 'x%' and a like '%y'))"],
  ["from a join b where c", "from a cross join b where c"],
  ["from a inner join (select 1) left join c on d", "from a cross join (select 1) left join c on d"],
  ["from a join b using (c) join d on e", "from a join b using (c) join d on e"],
  ["'it\\'s \\\\d {{n}}' = '{{n}}' or a = {{n}}", "'it''s \\d $n' = $n or a = $n"],
  [
    "from a, lateral flatten(input => b:c, outer => true) as g where g.value::string = 'x'",
    "from a left join lateral (select value, \"key\", try_cast(\"key\" as bigint) as index from json_each(to_json((b -> '$.c')))) g on true where (g.value ->> '$') = 'x'",
  ],
  ["from a, lateral flatten(input => b, recursive => true)", "from a, lateral flatten(input => b, recursive => true)"],
  ["to_char(a, 'DD Mon YYYY HH24:MI') || to_char(a, 'W')", "strftime(a, '%d %b %Y %H:%M') || to_char(a, 'W')"],
  ["nvl(a, (", "nvl(a, ("],
])("%s", (old, wanted) => {
  expect(repaired(old)).toBe(wanted);
});
