import { readFileSync } from "node:fs";
import {
  type Application,
  type ApplicationText,
  buildApplication,
  buildCommand,
  buildRouteMap,
  type Command,
  text_en,
} from "@stricli/core";
import type { Context } from "./command-function.ts";
import { ownCommands } from "./commands/commands.ts";
import { defaultUrl } from "./connection/flags.ts";
import { argumentError } from "./errors/argument-error.ts";
import { UsageError } from "./errors/cli-error.ts";
import { failureJson, failureLine, failureOf } from "./errors/failure.ts";

/**
 * Builds the command tree. The commands of the methods are not loaded if the first word is a key of `ownCommands` or
 * `--version`.
 */
export async function createApplication(firstWord: string | undefined, json: boolean): Promise<Application<Context>> {
  const own = { ...ownCommands, version: versionCommand };
  const isOwn = firstWord !== undefined && (Object.hasOwn(own, firstWord) || firstWord === "--version");
  const routes = isOwn ? own : { ...own, ...(await methodCommands()) };
  const root = buildRouteMap<string, Context>({
    routes,
    docs: {
      brief: "Run SQL queries on a Quern service.",
      fullDescription: [
        "Runs SQL queries on a Quern service. Starts the service or its mock, administers the service, and tests servers and clients.",
        "Each method of the service is a command, too. `quern COMMAND --help` describes a command.",
        "",
        "EXAMPLES",
        '  quern "select 1 as n"',
        "  quern tables",
        "  quern describe cars",
        "  quern query --file report.sql --csv",
        "  quern result --last --format csv",
        "  quern serve --data-dir ./data",
        "",
        "ENVIRONMENT",
        `  QUERN_URL            Address of the service. Default: ${defaultUrl}.`,
        "  QUERN_API_KEY        API key of the service.",
        "  HTTPS_PROXY          Proxy for addresses with https, such as http://proxy.example.org:3128.",
        "  HTTP_PROXY           Proxy for addresses with http.",
        "  NO_PROXY             Hosts to connect to without a proxy, separated by commas.",
        "  NODE_EXTRA_CA_CERTS  File with certificates of authorities to trust, in PEM.",
        "  COLUMNS              Width of help, and of tables on a terminal. Default: the width of the terminal.",
      ].join("\n"),
    },
  });
  return buildApplication(root, {
    name: "quern",
    versionInfo: { currentVersion: packageVersion() },
    scanner: { caseStyle: "allow-kebab-for-camel", allowArgumentEscapeSequence: true, distanceOptions },
    completion: { includeHiddenRoutes: true },
    documentation: { disableAnsiColor: true, onlyRequiredInUsageLine: true },
    localization: { text: texts(json) },
  });
}

async function methodCommands(): Promise<Readonly<Record<string, Command<Context>>>> {
  const [{ commands }, { methodCommand }] = await Promise.all([
    import("./generated/commands.ts"),
    import("./methods/command.ts"),
  ]);
  return Object.fromEntries(commands.map((command) => [command.name, methodCommand(command)]));
}

/** `quern version`, the same as `--version`. */
const versionCommand: Command<Context> = buildCommand<Record<never, never>, [], Context>({
  func() {
    this.process.stdout.write(`${packageVersion()}\n`);
  },
  parameters: {},
  docs: { brief: "Print the version." },
});

/**
 * Suggests a name for at most four missing characters, as in an abbreviation, or one that is wrong, excessive or in the wrong
 * place. More would suggest names that the user does not mean.
 */
const distanceOptions = { threshold: 4, weights: { insertion: 1, deletion: 4, substitution: 4, transposition: 4 } };

/** Commands for words of other command lines. */
const meantCommands: Readonly<Record<string, string>> = {
  columns: "describe",
  exec: "query",
  history: "runs list",
  kill: "cancel",
  last: "result --last",
  list: "runs list",
  ls: "runs list",
  plan: "explain",
  ps: "runs list",
  run: "query",
  schema: "tables",
  select: "query",
  show: "tables",
  sql: "query",
  start: "serve",
};

/** Returns what to do about an unknown word in the place of a command. */
function commandAdvice(input: string, closest: string | undefined): string {
  if (/\.sql$/i.test(input)) return `did you mean \`quern query --file ${input}\`?`;
  // The framework puts the name in backticks. Few letters occur in many names, so the first one must be the same.
  if (closest !== undefined && (input.length > 3 || closest[1] === input[0])) return `did you mean ${closest}?`;
  const [word = ""] = input.toLowerCase().split(/\s/);
  const meant = Object.hasOwn(meantCommands, word) ? meantCommands[word] : undefined;
  return meant === undefined ? "`quern --help` lists the commands" : `did you mean \`quern ${meant}\`?`;
}

function packageVersion(): string {
  const manifest: { readonly version: string } = JSON.parse(
    readFileSync(new URL("../package.json", import.meta.url), "utf8"),
  );
  return manifest.version;
}

/** Returns the texts of the framework. Errors before a command runs are one line or one JSON object, as those of commands. */
function texts(json: boolean): ApplicationText {
  const failureText = (error: unknown): string => {
    const failure = failureOf(error);
    return json ? failureJson(failure) : failureLine(failure);
  };
  return {
    ...text_en,
    briefs: {
      ...text_en.briefs,
      help: "Print this help.",
      version: "Print the version.",
      argumentEscapeSequence: "Take everything after -- as arguments, not as flags.",
    },
    noCommandRegisteredForInput({ input, corrections: [closest] }) {
      const message = input.startsWith("-")
        ? `unknown flag before a command: ${input}; write it after the command, or use --help or --version`
        : `unknown command: ${input}; ${commandAdvice(input, closest)}`;
      return failureText(new UsageError(message));
    },
    exceptionWhileParsingArguments: (error) => failureText(argumentError(error)),
    exceptionWhileLoadingCommandFunction: failureText,
  };
}
