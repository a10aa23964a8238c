import { StatementError } from "@quern/adapter";
import { LexicalError, type Token, tokensOf } from "./lexer.ts";

/** First words of statements that read. */
const readingWords: ReadonlySet<string> = new Set(["select", "with", "values", "table"]);

const writingWords: ReadonlySet<string> = new Set(["insert", "update", "delete", "merge"]);

/**
 * Functions that have effects outside of the transaction, read files or settings of the server, execute SQL from a
 * text, or lock other sessions out. Each form matches a whole name.
 */
const refusedFunctions: readonly RegExp[] = [
  /lo_\w+|loread|lowrite/,
  /pg_read_\w+|pg_ls_\w+|pg_stat_file|pg_current_logfile|pg_hba_file_rules|pg_show_all_file_settings/,
  /pg_file_\w+|pg_logfile_rotate|pg_logdir_ls|pg_execute_server_program/,
  /dblink\w*|postgres_fdw_\w+/,
  /set_config|current_setting|pg_reload_conf|pg_rotate_logfile\w*/,
  /pg_terminate_backend|pg_cancel_backend|pg_log_backend_memory_contexts/,
  /pg_(?:try_)?advisory_\w+/,
  /pg_notify|pg_logical_\w+|pg_replication_\w+|pg_(?:create|drop|copy)_\w*replication_slot|pg_drop_replication_slot/,
  /pg_switch_wal|pg_create_restore_point|pg_promote|pg_wal_replay_\w+|pg_backup_\w+|pg_(?:start|stop)_backup/,
  /pg_export_snapshot|pg_stat_reset\w*|pg_stat_statements_reset|pg_import_system_collations|pg_extension_config_dump/,
  /(?:query|table|cursor|schema|database)_to_xml\w*|ts_stat|ts_rewrite|crosstab\w*|connectby|xpath_table/,
  /nextval|setval|pg_sequence_last_value|pg_prewarm|autoprewarm\w*|pg_truncate_visibility_map|pg_surgery\w*/,
  /brin_summarize_\w+|brin_desummarize_range|gin_clean_pending_list|pg_nextoid|binary_upgrade_\w+/,
];

const refusedName = new RegExp(`^(?:${refusedFunctions.map(({ source }) => source).join("|")})$`, "i");

/**
 * Admits one statement that only reads, and returns its tokens without a final semicolon. This gate is a second layer
 * of protection: the role of the source must not be allowed to do more than read.
 * @throws {StatementError} `StatementNotAllowed`
 */
export function admit(sql: string): readonly Token[] {
  const tokens = withoutSemicolon(lexed(sql));
  const first = tokens.find(({ text }) => text !== "(");
  if (first === undefined) throw refused("the text has no statement; send one statement that reads.");
  if (first.kind !== "name" || !readingWords.has(first.text))
    throw refused("it is not a query; send SELECT, WITH, VALUES or TABLE.");
  for (const [index, { kind, text }] of tokens.entries()) {
    const before = tokens[index - 1];
    const after = tokens[index + 1];
    if (kind === "sign" && text === ";") throw refused("the text has several statements; send one.");
    if (kind === "name" && text === "into" && before?.text !== ".")
      throw refused("SELECT INTO creates a table; remove INTO.");
    if (kind === "name" && writingWords.has(text) && before?.text === "(" && after?.text !== ",")
      throw refused(`it writes (${text.toUpperCase()}); send a statement that reads.`);
    // Without a call, too: the name of a function can be cast to a value that is called.
    if ((kind === "name" || kind === "quotedName") && refusedName.test(text))
      throw refused(`the name ${text} can be that of a function that is not allowed; remove it.`);
  }
  return tokens;
}

function lexed(sql: string): readonly Token[] {
  if (sql.includes("\0")) throw refused("it has a NUL character; remove it.");
  try {
    return tokensOf(sql);
  } catch (error) {
    if (error instanceof LexicalError) throw refused(`${error.message}.`);
    throw error;
  }
}

function withoutSemicolon(tokens: readonly Token[]): readonly Token[] {
  return tokens.at(-1)?.text === ";" && tokens.at(-1)?.kind === "sign" ? tokens.slice(0, -1) : tokens;
}

function refused(reason: string): StatementError {
  return new StatementError({
    name: "StatementNotAllowed",
    message: `Statement not allowed: ${reason}`,
    data: { category: "USER", engine: "postgres", retryable: false },
  });
}
