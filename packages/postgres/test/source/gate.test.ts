import { expect, it } from "vitest";
import { admit as admitInSlices } from "../../src/source/gate.ts";
import { numbered } from "../../src/source/parameters.ts";
import { admit } from "./admit-at-once.ts";
import { hostileStatements } from "./hostile-statements.ts";

it("refuses each hostile statement", () => {
  expect(hostileStatements.length).toBeGreaterThanOrEqual(50);
  const admitted = hostileStatements.filter((sql) => {
    try {
      return admit(sql);
    } catch (error) {
      expect(error).toMatchObject({ failure: { name: "StatementNotAllowed", data: { category: "USER" } } });
      return false;
    }
  });
  expect(admitted).toEqual([]);
});

it.each([
  "select 1",
  "SELECT 1;",
  "(select 1) union (select 2)",
  "values (1), (2)",
  "table orders",
  "with a as (select 1) select * from a",
  "select 'lo_import(1); delete from x', $$ set_config $$, E'it\\'s', \"into\" from t",
  "select note.into from note",
  "select /* a /* nested */ comment; */ 1 -- ; delete",
  'select "update" from t where deleted = false and call > 1',
  "select extract(year from at), substring(name from 1 for 2) from t",
  "with update as (select count(*) delete from t) select count(*) update from (select 1) merge where a = 1",
  "select data ->> 'a', data ? 'b', a$1 from t where x = $1 or y = $name",
])("admits a statement that reads: %s", (sql) => {
  expect(admit(sql)).toMatchObject({
    sql,
    end: sql.includes("-- ;") ? expect.any(Number) : sql.replace(/;$/, "").length,
  });
});

const refusal = { name: "StatementNotAllowed", data: { category: "USER", engine: "postgres", retryable: false } };

/** Names of functions and views that do more than read, and names that only resemble them. */
const names = {
  refused: `lo_import loread set_config current_setting nextval txid_current inet_server_addr ts_stat query_to_xml
    database_to_xmlschema dblink dblink_exec postgres_fdw_disconnect crosstab crosstab4 binary_upgrade_set_missing_value
    set_limit heap_force_kill heap_force_freeze user_mapping_options _pg_user_mappings
    pg_stat_activity pg_stat_get_activity pg_stat_get_backend_activity pg_stat_statements pg_stat_statements_info
    pg_settings pg_show_all_settings pg_sleep pg_sleep_for pg_locks pg_authid pg_roles pg_subscription pg_read_file
    pg_notify pg_of_a_later_version pg_ pg_toast`,
  admitted: `lo_orderdate lo_ loreads set_configs my_current_setting currval lastval xdblink postgres_fdw_ xml_to_xml
    query_to_json ts_stats my_nextval pg pgp_sym_encrypt xpg_sleep version now
    pg_catalog pg_class pg_typeof pg_get_viewdef pg_stats`,
};

it.each(names.refused.split(/\s+/))("refuses the name %s, in any case, as a call or without one", (name) => {
  for (const written of [name, name.toUpperCase(), `"${name}"`])
    for (const sql of [`select ${written}(1)`, `select '${name}' as ${written}`, `select (1).${written}`])
      expect(() => admit(sql)).toThrow(
        /^Statement not allowed: the name \S+ can be that of a function or view that is not allowed; remove it\.$/,
      );
});

it.each(names.admitted.split(/\s+/))("admits the name %s", (name) => {
  const sql = `select ${name}(1)`;
  expect(admit(sql)).toEqual({ sql, start: 0, end: sql.length, named: [], marks: [] });
});

it("shortens a long name in its message", () => {
  expect(() => admit(`select pg_${"a".repeat(100_000)}`)).toThrow(`the name pg_${"a".repeat(60)}… can be`);
});

it("lets the event loop turn again and again while it reads a long statement", async () => {
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  turn();
  await admitInSlices(`select 1 ${"a,".repeat(131_000)}`);
  isOver = true;
  expect(turns).toBeGreaterThan(50);
});

it("decides about each shape of a statement of the maximum length", () => {
  const shapes = [
    "(",
    ",1",
    "?,",
    ",?",
    ",$1",
    ",$name",
    "+1",
    "not ",
    "/*",
    " /*",
    "/**/",
    "--\n",
    "$a",
    "$a$",
    "'",
    "\\",
    '"',
    "é",
  ];
  for (const shape of [...shapes, "case when ", " union select 1", ".a", ";", "$", "-", "1", "e'", "::text"]) {
    const sql = `select 1 ${shape.repeat(262_100 / shape.length)}`;
    try {
      expect(numbered(admit(sql), [1]).text.length).toBeLessThanOrEqual(2 * sql.length);
    } catch (error) {
      expect(error).toMatchObject({ name: "StatementError", failure: { data: { category: "USER" } } });
    }
  }
});

it.each([
  ["", "the text has no statement; send one statement that reads."],
  ["((", "the text has no statement; send one statement that reads."],
  [";", "the text has no statement; send one statement that reads."],
  ["insert into t values (1)", "it is not a query; send SELECT, WITH, VALUES or TABLE, or EXPLAIN of one."],
  ['"select" 1', "it is not a query; send SELECT, WITH, VALUES or TABLE, or EXPLAIN of one."],
  ["select 1; select 2", "the text has several statements; send one."],
  ["select 1;;", "the text has several statements; send one."],
  ["select 1 into t", "SELECT INTO creates a table; remove INTO."],
  ["with a as (insert into t values (1)) select 1", "it writes (INSERT); send a statement that reads."],
  ["with a as (update t set b = 1) select 1", "it writes (UPDATE); send a statement that reads."],
  ["with a as (delete from t) select 1", "it writes (DELETE); send a statement that reads."],
  ["with a as (select 1) delete from t returning 1", "it writes (DELETE); send a statement that reads."],
  ["with a as (with b as (select 1) update t set c = 1) select 1", "it writes (UPDATE); send a statement that reads."],
  [
    "with a as (select 1) cycle b set c using d delete from t returning 1",
    "it writes (DELETE); send a statement that reads.",
  ],
  ["with a as (merge into t using b on true) select 1", "it writes (MERGE); send a statement that reads."],
  ["select 1\0", "it has a NUL character; remove it."],
])("refuses %j because %s", (sql, reason) => {
  const failure = { ...refusal, message: `Statement not allowed: ${reason}` };
  expect(() => admit(sql)).toThrow(expect.objectContaining({ failure }));
});

it.each(["select 1 from (delete, b)", "select f(update, 1)", "select a.into from a", "select (1;)"])(
  "reads the words of %j in their places",
  (sql) => {
    if (sql.includes(";")) expect(() => admit(sql)).toThrow("the text has several statements");
    else expect(admit(sql).end).toBe(sql.length);
  },
);
