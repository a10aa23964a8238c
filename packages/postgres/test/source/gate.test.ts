import { expect, it } from "vitest";
import { admit } from "../../src/source/gate.ts";
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
  "select data ->> 'a', data ? 'b', a$1 from t where x = $1 or y = $name",
])("admits a statement that reads: %s", (sql) => {
  expect(admit(sql).length).toBeGreaterThan(0);
});

const refusal = { name: "StatementNotAllowed", data: { category: "USER", engine: "postgres", retryable: false } };

/** Names of functions that do more than read, and names that only resemble them. */
const names = {
  refused: `lo_import lo_x loread lowrite
    pg_read_file pg_read_x pg_ls_dir pg_ls_x pg_stat_file pg_current_logfile pg_hba_file_rules pg_show_all_file_settings
    pg_file_write pg_file_x pg_logfile_rotate pg_logdir_ls pg_execute_server_program
    dblink dblink_exec postgres_fdw_disconnect postgres_fdw_x
    set_config current_setting pg_reload_conf pg_rotate_logfile pg_rotate_logfile_old
    pg_terminate_backend pg_cancel_backend pg_log_backend_memory_contexts
    pg_advisory_lock pg_try_advisory_lock pg_advisory_x
    pg_notify pg_logical_emit_message pg_logical_x pg_replication_origin_create pg_replication_x
    pg_create_physical_replication_slot pg_create_replication_slot pg_copy_logical_replication_slot
    pg_drop_replication_slot pg_drop_x_replication_slot
    pg_switch_wal pg_create_restore_point pg_promote pg_wal_replay_pause pg_wal_replay_x pg_backup_start pg_backup_x
    pg_start_backup pg_stop_backup
    pg_export_snapshot pg_stat_reset pg_stat_reset_shared pg_stat_statements_reset pg_import_system_collations
    pg_extension_config_dump
    query_to_xml query_to_xml_and_xmlschema table_to_xml cursor_to_xml schema_to_xml database_to_xml database_to_xmlschema
    ts_stat ts_rewrite crosstab crosstab4 connectby xpath_table
    nextval setval pg_sequence_last_value pg_prewarm autoprewarm autoprewarm_start_worker pg_truncate_visibility_map
    pg_surgery pg_surgery_x
    brin_summarize_new_values brin_summarize_x brin_desummarize_range gin_clean_pending_list pg_nextoid
    binary_upgrade_set_missing_value binary_upgrade_x`,
  admitted: `lo_ lo xlo_import loreads pg_read_ pg_ls_ pg_stat_files pg_file_ pg_filenode_relation xdblink postgres_fdw_
    set_configs my_current_setting currval pg_advisory_ pg_x_advisory_lock pg_logical_ pg_replication_
    pg_get_replication_slots pg_create_replication_slots pg_wal_replay_ pg_backup_ pg_backup pg_start_backups
    pg_x_backup xml_to_xml query_to_json ts_stats my_nextval pg_prewarms brin_summarize_ binary_upgrade_ lastval`,
};

it.each(names.refused.split(/\s+/))("refuses the name %s, in any case, as a call or without one", (name) => {
  for (const written of [name, name.toUpperCase(), `"${name}"`])
    for (const sql of [`select ${written}(1)`, `select '${name}' as ${written}`])
      expect(() => admit(sql)).toThrow(
        /^Statement not allowed: the name \S+ can be that of a function that is not allowed; remove it\.$/,
      );
});

it.each(names.admitted.split(/\s+/))("admits the name %s", (name) => {
  expect(admit(`select ${name}(1)`).length).toBe(5);
});

it.each([
  ["", "the text has no statement; send one statement that reads."],
  ["((", "the text has no statement; send one statement that reads."],
  ["insert into t values (1)", "it is not a query; send SELECT, WITH, VALUES or TABLE."],
  ['"select" 1', "it is not a query; send SELECT, WITH, VALUES or TABLE."],
  ["select 1; select 2", "the text has several statements; send one."],
  ["select 1;;", "the text has several statements; send one."],
  ["select 1 into t", "SELECT INTO creates a table; remove INTO."],
  ["with a as (insert into t values (1)) select 1", "it writes (INSERT); send a statement that reads."],
  ["with a as (update t set b = 1) select 1", "it writes (UPDATE); send a statement that reads."],
  ["with a as (delete from t) select 1", "it writes (DELETE); send a statement that reads."],
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
    else expect(admit(sql).length).toBeGreaterThan(4);
  },
);
