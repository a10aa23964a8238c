import { createQueryRunParamsDefaults as defaults } from "@quern/protocol/defaults";
import { type Application, type CommandContext, generateHelpTextForAllCommands } from "@stricli/core";
import { beforeAll, describe, expect, it } from "vitest";
import { createApplication } from "../../src/application.ts";
import { ownCommands } from "../../src/commands/commands.ts";
import { quern } from "../quern.ts";

const connection = "[--profile] [--url] [--api-key-file] [--timeout-seconds]";
const json = "[--json]=false";
const formats = "table|vertical|csv|tsv|json|jsonl|markdown";
const text = "[--csv]=false [--tsv] [--vertical] [--header/--no-header] [--tuples-only] [--null]";
const shortText = "[--csv]=false -A [--tsv] -x [--vertical] [--header/--no-header] -t [--tuples-only] [--null]";
const statement =
  "-p [--param]... [--max-age-minutes] [--result-ttl-hours] [--tag]... [--data-source] [--data-provider]";
const result = `-F [--format]=${formats}|parquet|arrow|arrows -o [--output] [--full]=false ${shortText} [--max-rows] [--progress/--no-progress] ${connection} ${json}`;
const tables = `[--data-source] [--data-provider] ${connection} -F [--format]=${formats} [--full]=false ${shortText} ${json}`;
const store = `[--data-dir]=quern-data ${json} [--config]`;
const storeList = `${store} [--format]=${formats} [--full]=false ${text}`;
const always = "-h --help --";

/** Required words, arguments, flags with their values and defaults, and sections of the help of each command. */
const commands: readonly (readonly [name: string, required: string, args: string, flags: string, sections: string])[] =
  [
    [
      "query",
      "",
      "[sql]",
      `-c [--command] -f [--file] [--stop-on-error]=false [--with]... ${statement} ${result}`,
      "EXAMPLES, EXIT CODES",
    ],
    [
      "shell",
      "",
      "",
      `-p [--param]... [--data-source] [--data-provider] -F [--format]=${formats} [--full]=false ${shortText} [--progress/--no-progress] ${connection} ${json} [--max-rows]`,
      "EXAMPLES, ENVIRONMENT",
    ],
    ["tables", "", "[pattern]", tables, "EXAMPLES"],
    ["describe", "<table>", "table", tables, "EXAMPLES"],
    [
      "explain",
      "",
      "[sql]",
      `[--analyze]=false -p [--param]... [--data-source] [--data-provider] [--progress/--no-progress] ${connection} ${json}`,
      "EXAMPLES",
    ],
    ["summarize", "<table>", "table", `${statement} ${result}`, "EXAMPLES"],
    ["result", "", "[run]", `[--last]=false ${result}`, "EXAMPLES, EXIT CODES"],
    [
      "runs list",
      "",
      "",
      `[--state]... [--tag]... [--since] [--until] [--text] [--limit]=50 [--sql/--no-sql]=true [--ids]=false ${connection} -F [--format]=${formats} [--full]=false ${shortText} ${json}`,
      "EXAMPLES",
    ],
    ["runs show", "<run>", "run", `[--sql]=false ${connection} ${json}`, ""],
    ["runs cancel", "<run>...", "run...", `${connection} ${json}`, ""],
    ["runs wait", "<run>", "run", `${connection} ${json} [--progress/--no-progress]`, "EXIT CODES"],
    ["cancel", "<run>...", "run...", `${connection} ${json}`, ""],
    ["login", "", "", `[--profile] [--url] [--api-key-stdin]=false [--keyring/--no-keyring] ${json}`, "EXAMPLES"],
    ["logout", "", "", `[--profile] ${json}`, "EXAMPLES"],
    ["profiles list", "", "", `-F [--format]=${formats} [--full]=false ${shortText} ${json}`, ""],
    [
      "profiles show",
      "",
      "[profile]",
      `[--profile] [--url] [--api-key-file] -F [--format]=${formats} [--full]=false ${shortText} ${json}`,
      "EXAMPLES",
    ],
    ["profiles use", "<profile>", "profile", json, ""],
    ["profiles remove", "<profile>", "profile", json, ""],
    [
      "types",
      "<pattern>...",
      "pattern...",
      `[--check]=false [--snapshot] [--data-source] [--data-provider] ${connection} ${json}`,
      "EXAMPLES, EXIT CODES",
    ],
    [
      "serve",
      "",
      "",
      `[--data-dir] [--port] [--host] [--strict-sandbox]=false [--allowed-hosts] [--open]=false [--config] [--set]... ${json}`,
      "EXAMPLES, SETTINGS, ENVIRONMENT",
    ],
    ["configuration", "", "", `[--config] [--set]... [--format]=${formats} [--full]=false ${text} ${json}`, "EXAMPLES"],
    ["mcp", "", "", `[--profile] [--url] [--api-key-file] [--tool]... ${json}`, "EXAMPLES"],
    [
      "mock",
      "",
      "",
      `[--port]=8080 [--host]=127.0.0.1 ${json} [--open]=false [--strict]=false [--seed] [--clock]=ticking|auto|still, default = ticking [--stubs] [--ledger] [--allowed-hosts] [--parent]`,
      "EXAMPLES, ENVIRONMENT",
    ],
    [
      "conform",
      "<url>",
      "url",
      `[--profile]... [--only]... [--group]... [--expected-failures] [--write-baseline] [--timeout] [--junit] [--seed] [--tries] [--api-key-file] ${json}`,
      "EXAMPLES, EXIT CODES",
    ],
    [
      "conform-client",
      "(--command command)",
      "",
      `--command [--case]... [--expected-failures] [--fail-on]=must|should, default = must ${json}`,
      "EXAMPLES, EXIT CODES",
    ],
    [
      "verify",
      "(--against url) <ledger>",
      "ledger",
      `--against [--state-url] [--state-command] [--timeout] [--api-key-file] ${json}`,
      "EXAMPLES, EXIT CODES",
    ],
    [
      "doctor",
      "",
      "",
      `[--data-dir] [--config] [--format]=${formats} [--full]=false ${text} ${json}`,
      "EXAMPLES, EXIT CODES",
    ],
    [
      "sources add",
      "<source> <from>",
      "source from",
      `[--as] [--table] [--schema] [--type]... [--all-text]=false [--delimiter] [--quote] [--escape] [--header/--no-header] [--skip] [--null-text]... [--encoding] [--decimal-separator]=.|, [--sample] [--pad-rows] [--ignore-errors] [--run-as]=fixed|user [--kind] [--tenant] [--password-file] [--password-variable] ${store}`,
      "EXAMPLES, ENVIRONMENT",
    ],
    ["sources load", "<source table>...", "source table...", store, "EXAMPLES"],
    ["sources list", "", "[source]", storeList, ""],
    ["sources check", "", "[source]", `[--user] [--tenant] ${storeList}`, ""],
    ["sources remove", "<source table>...", "source table...", store, ""],
    [
      "keys issue",
      "",
      "",
      `[--tenant] [--user] [--scopes] [--sources] [--origins] [--network]...=separator = , [--expires] ${store}`,
      "EXAMPLES",
    ],
    ["keys list", "", "", storeList, ""],
    ["keys rotate", "<key-id>", "key-id", `[--keep] ${store}`, ""],
    ["keys revoke", "<key-id>", "key-id", store, ""],
    ["keys revoke-links", "", "", store, ""],
    [
      "tenants set",
      "<tenant>",
      "tenant",
      `[--max-unfinished-runs] [--max-running-runs] [--requests-per-second] [--request-burst] [--monthly-exec-seconds] [--max-stored-bytes] ${store}`,
      "EXAMPLES",
    ],
    ["tenants list", "", "", storeList, ""],
    ["usage", "", "", `[--month] ${storeList}`, "EXAMPLES"],
    [
      "audit verify",
      "",
      "",
      `[--file]... [--expect] [--after] [--data-dir]=quern-data ${json}`,
      "EXAMPLES, EXIT CODES",
    ],
    ["erase", "(--user name)", "", `--user [--tenant] ${store}`, "EXAMPLES"],
    [
      "migrate-store",
      "",
      "",
      `[--to-store] [--to-store-password-file] [--to-results] [--to-data-dir] [--check]=false [--abandon-results]=false ${store}`,
      "EXAMPLES",
    ],
    [
      "migrate check",
      "<files>...",
      "files...",
      `[--write]=false [--data-source] [--data-provider] ${connection} ${json}`,
      "EXAMPLES, EXIT CODES",
    ],
    ["completion", "<shell>", "shell", "", "SHELLS, EXAMPLES"],
    ["version", "", "", "", ""],
  ];

let helps: ReadonlyMap<string, string>;
beforeAll(async () => {
  // Help does not use the context.
  const application = (await createApplication("tables", false)) as unknown as Application<CommandContext>;
  helps = new Map(generateHelpTextForAllCommands(application));
});

/** Entries of a section: their syntax with their values, as in `[--limit]=50`, and their texts. */
function entriesOf(text: string, title: string): readonly { readonly syntax: string; readonly brief: string }[] {
  const [, from] = text.split(`\n\n${title}\n`);
  const lines = from === undefined ? [] : (from.split("\n\n", 1)[0] ?? "").trimEnd().split("\n");
  return lines.map((line) => {
    const aligned = line.replace(/^( +-\w) +/, "$1 ");
    const [, syntax = "", brief = "", values] = /^ +(.*?\S) {2,}(\S.*?)(?: +\[([^\]]*)\])?$/.exec(aligned) ?? [];
    return { syntax: values === undefined ? syntax : `${syntax}=${values.replace(/^default = /, "")}`, brief };
  });
}

describe("the help of a command that is written by hand", () => {
  it("exists for the listed commands, in their order", () => {
    expect([...helps.keys()]).toEqual(commands.map(([name]) => `quern ${name}`));
  });

  it.each(commands)(
    "quern %s %s has its arguments, flags, values, defaults and sections",
    (name, required, ...rest) => {
      const [args, flags, sections] = rest;
      const text = helps.get(`quern ${name}`) ?? "";
      const line = `  quern ${name} ${required}`.trimEnd();
      expect(text.startsWith(`USAGE\n${line}\n  quern ${name} --help\n\n`)).toBe(true);
      const [argumentEntries, flagEntries] = [entriesOf(text, "ARGUMENTS"), entriesOf(text, "FLAGS")];
      const syntaxOf = (entries: typeof flagEntries) => entries.map(({ syntax }) => syntax).join(" ");
      expect(syntaxOf(argumentEntries)).toBe(args);
      expect(syntaxOf(flagEntries)).toBe(`${flags} ${always}`.trimStart());
      for (const { brief } of [...argumentEntries, ...flagEntries]) expect(brief).toMatch(/^.{10,}\.$/);
      const titles = [...text.matchAll(/\n\n([A-Z][A-Z ]+)\n {2,}\S/g)].map(([, title]) => title);
      expect(titles).toEqual([
        ...(sections === "" ? [] : sections.split(", ")),
        "FLAGS",
        ...(args === "" ? [] : ["ARGUMENTS"]),
      ]);
      const [, about = ""] = text.split("\n\n");
      expect(about).toMatch(/^[A-Z].{9,}/);
    },
  );

  it("stands in one line in the list of its group", async () => {
    const groups = [
      ...new Set(commands.flatMap(([name]) => (name.includes(" ") ? [name.split(" ", 1)[0] ?? ""] : []))),
    ];
    for (const group of groups) {
      const { stdout } = await quern([group, "--help"]);
      const names = commands.flatMap(([name]) => (name.startsWith(`${group} `) ? [name.slice(group.length + 1)] : []));
      const entries = entriesOf(stdout, "COMMANDS");
      expect(entries.map(({ syntax }) => syntax)).toEqual(names);
      for (const { brief } of entries) expect(brief).toMatch(/^[A-Z].{9,}\.$/);
    }
  });

  it("stands in one line in the list of all commands, before the commands of the methods", async () => {
    const { stdout, stderr, status } = await quern(["--help"]);
    const entries = entriesOf(stdout, "COMMANDS");
    const own = [...Object.keys(ownCommands), "version"];
    expect(entries.slice(0, own.length).map(({ syntax }) => syntax)).toEqual(own);
    expect(entries.length).toBeGreaterThan(own.length);
    for (const { brief } of entries) expect(brief).toMatch(/^[A-Z].{9,}\.$/);
    expect([stderr, status]).toEqual(["", 0]);
    expect(stdout).not.toContain("\u001b");
    expect(stdout).toMatch(
      /\n\nRuns SQL queries on a Quern service\. .*\n.*\n\nEXAMPLES\n {2}quern .*\n {2}quern .*\n/,
    );
    expect(stdout).toMatch(
      /\n\nENVIRONMENT\n {2}QUERN_URL {12}.* Default: http:\/\/127\.0\.0\.1:8080\.\n {2}QUERN_API_KEY {8}\S/,
    );
    for (const name of [
      "QUERN_PROFILE",
      "QUERN_CLI_CONFIG",
      "HTTPS_PROXY",
      "HTTP_PROXY",
      "NO_PROXY",
      "NODE_EXTRA_CA_CERTS",
      "COLUMNS",
    ])
      expect(stdout).toMatch(new RegExp(`\n {2}${name} +[A-Z].*\\.\n`));
    const flags = entriesOf(stdout, "FLAGS");
    expect(flags.map(({ syntax, brief }) => [syntax, brief])).toEqual([
      ["-h --help", "Print this help."],
      ["-v --version", "Print the version."],
      ["--", "Take everything after -- as arguments, not as flags."],
    ]);
  });
});

const wait = "Longest wait for the run, in seconds;";

it.each([
  [
    "query",
    "[--result-ttl-hours]",
    `Time that the service keeps the result, in hours. Default: ${defaults.resultTTLHours}.`,
  ],
  [
    "query",
    "[--max-age-minutes]",
    `Accept a result that is at most this old, in minutes. Default: ${defaults.maxAgeMinutes}, which always runs the statement.`,
  ],
  ["query", "[--timeout-seconds]", `${wait} then the query is withdrawn. Default: 1,200.`],
  ["result", "[--timeout-seconds]", `${wait} then the command ends, and the run continues. Default: 1,200.`],
  ["runs wait", "[--timeout-seconds]", `${wait} then the command ends, and the run continues. Default: 1,200.`],
  ["runs list", "[--timeout-seconds]", "Longest wait for an answer, in seconds. Default: 60."],
  [
    "runs list",
    "[--url]",
    "Address of the service. Default: QUERN_URL, else that of the profile, else http://127.0.0.1:8080.",
  ],
  ["serve", "[--port]", "Port to listen on; 0 chooses a free port. Default: 8080."],
  ["serve", "[--host]", "Address to listen on. Default: 127.0.0.1."],
  ["serve", "[--data-dir]", "Directory of runs, results, keys and data sources. Default: quern-data."],
])("quern %s %s has its default in its text", (name, syntax, brief) => {
  expect(entriesOf(helps.get(`quern ${name}`) ?? "", "FLAGS")).toContainEqual({ syntax, brief });
});
