import { expect, it } from "vitest";
import { argumentError } from "../../src/errors/argument-error.ts";
import { quern } from "../quern.ts";

const advice = "--help describes the flags and arguments";

it.each([
  [["runs", "list", "--limit", "0"], 'invalid --limit: expected a whole number from 1, got "0"'],
  [["result", "run_1", "--timeout-seconds", "soon"], 'invalid --timeout-seconds: expected a number, got "soon"'],
  [["query", "select 1", "--tag", "env"], 'invalid --tag: expected key=value, got "env"'],
  [["query", "--full=maybe"], 'invalid --full: expected true or false, got "maybe"'],
  [
    ["runs", "list", "--format", "xml"],
    'invalid --format: expected one of table, vertical, csv, tsv, json, jsonl, markdown, got "xml"',
  ],
  [["get-query-run-results", "--page", "5"], "unknown flag: --page; did you mean --page-size?"],
  [["doctor", "--quickly"], `unknown flag: --quickly; ${advice}`],
  [["query", "-z", "1"], `unknown flag: -z; ${advice}`],
  [["tables", "-f", "csv"], "unknown flag: -f; did you mean --format, in short -F?"],
  [["query", "select 1", "-f", "csv"], "cannot read the statements: there is no file csv; did you mean --format csv?"],
  [["query", "select 1", "--jsonl"], "unknown flag: --jsonl; did you mean --format jsonl?"],
  [["query", "select 1", "--parquet"], "unknown flag: --parquet; did you mean --format parquet?"],
  [["result", "run_1", "--markdown"], "unknown flag: --markdown; did you mean --format markdown?"],
  [["query", "select 1", "--limit", "5"], "unknown flag: --limit; did you mean --max-rows?"],
  [["query", "select 1", "--quiet"], "unknown flag: --quiet; did you mean --no-progress?"],
  [["query", "select 1", "--key", "k"], "unknown flag: --key; did you mean --api-key-file?"],
  [["login", "--name", "prod"], "unknown flag: --name; did you mean --profile?"],
  [["login", "--key", "k"], "unknown flag: --key; did you mean --api-key-stdin < FILE?"],
  [["export"], "unknown command: export; did you mean `quern query --output FILE`?"],
  [["rerun", "run_1"], "unknown command: rerun; did you mean `quern runs show RUN --sql`?"],
  [["status"], "unknown command: status; did you mean `quern runs list`?"],
  [["config"], "unknown command: config; did you mean `quern profiles`?"],
  [
    ["insert into cars values (1)"],
    'unknown command: insert into cars values (1); if it is a statement, write `quern -c "…"`',
  ],
  [["query", "report.sql"], "invalid statement: report.sql is the name of a file; did you mean --file report.sql?"],
  [["runs", "cancel"], "missing argument: run; `quern runs list` prints the ids"],
  [["runs", "list", "--limit", "1", "--limit", "2"], "--limit is given twice: 1, 2; give it once"],
  [["query", "--no-progress=true"], "--no-progress takes no value: true; remove the value"],
  [["get-query-run"], `missing value: --query-run-id; ${advice}`],
  [["query", "select", "1"], `unexpected argument: 1; ${advice}, and a text with spaces needs quotes`],
  [["runs", "show"], `missing argument: run; ${advice}`],
  [["quary"], "unknown command: quary; did you mean `query`?"],
  [["qurey"], "unknown command: qurey; did you mean `query`?"],
  [["versoin"], "unknown command: versoin; did you mean `version`?"],
  [["serv"], "unknown command: serv; did you mean `serve`?"],
  [["report.sql"], "unknown command: report.sql; did you mean `quern query --file report.sql`?"],
  [
    ["query", "-F", "report.sql"],
    'invalid --format: expected one of table, vertical, csv, tsv, json, jsonl, markdown, parquet, arrow, arrows, got "report.sql"; did you mean --file?',
  ],
  [["list-runs"], "unknown command: list-runs; `quern --help` lists the commands"],
  [["runs", "ls"], "unknown command: ls; did you mean `list`?"],
  [["keys", "revke"], "unknown command: revke; did you mean `revoke`?"],
  [["ls"], "unknown command: ls; did you mean `quern runs list`?"],
  [["list"], "unknown command: list; did you mean `quern runs list`?"],
  [["select", "1"], "unknown command: select; did you mean `quern query`?"],
  // A name with few letters in common is no suggestion.
  [["pnig"], "unknown command: pnig; `quern --help` lists the commands"],
  [["us"], "unknown command: us; `quern --help` lists the commands"],
  [["zzz"], "unknown command: zzz; `quern --help` lists the commands"],
  [["query", "--bad"], `unknown flag: --bad; ${advice}`],
  [["--versoin"], "unknown flag before a command: --versoin; write it after the command, or use --help or --version"],
  [["-V"], "unknown flag before a command: -V; write it after the command, or use --help or --version"],
  [["query", "select 1", "--api-key-file", ""], 'invalid --api-key-file: expected the name of a file, got ""'],
  [["conform", "http://a", "--junit", ""], 'invalid --junit: expected the name of a file, got ""'],
  [["frobnicate"], "unknown command: frobnicate; `quern --help` lists the commands"],
])("quern %j is refused with what is wrong and what to do", async (words, message) => {
  expect(await quern(words)).toEqual({ status: 2, stdout: "", stderr: `quern: ${message}\n` });
});

it("an error that is not the framework's keeps its message", () => {
  expect(argumentError(new RangeError("too many"))).toMatchObject({ name: "UsageError", message: "too many" });
});

it("a thrown value that is no error is the message", () => {
  expect(argumentError("too many")).toMatchObject({ name: "UsageError", message: "too many" });
});
