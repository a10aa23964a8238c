import { readFileSync } from "node:fs";
import {
  type Application,
  type ApplicationText,
  buildApplication,
  buildCommand,
  buildRouteMap,
  type Command,
  type RouteMap,
  text_en,
} from "@stricli/core";
import type { Context } from "./command-function.ts";
import { queryCommand } from "./commands/query/command.ts";
import { argumentError } from "./errors/argument-error.ts";
import { UsageError } from "./errors/cli-error.ts";
import { failureJson, failureLine, failureOf } from "./errors/failure.ts";
import { defaultUrl } from "./http-address.ts";
import { packageFolder } from "./package-folder.ts";

/**
 * Builds the command tree. For `query` and `--version` no other command is loaded, and those of the methods are not if the
 * first word is a key of `ownCommands`.
 */
export async function createApplication(firstWord: string | undefined, json: boolean): Promise<Application<Context>> {
  const routes = await routesOf(firstWord);
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
        "  quern -f report.sql --csv",
        "  quern last --csv",
        "  quern login --url https://quern.example.org",
        "  quern serve --data-dir ./data",
        "",
        "ENVIRONMENT",
        `  QUERN_URL            Address of the service. Default: ${defaultUrl}.`,
        "  QUERN_API_KEY        API key of the service.",
        "  QUERN_PROFILE        Profile of the configuration file, with another address, key and defaults.",
        "  QUERN_CLI_CONFIG     Configuration file. Default: quern/config.toml in ~/.config, XDG_CONFIG_HOME or %APPDATA%.",
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
    localization: { text: texts(json, firstWord) },
  });
}

type Routes = Readonly<Record<string, Command<Context> | RouteMap<Context>>>;

async function routesOf(firstWord = ""): Promise<Routes> {
  if (firstWord === "query") return { query: queryCommand };
  if (firstWord === "--version") return { version: versionCommand };
  const { ownCommands } = await import("./commands/commands.ts");
  const own = { ...ownCommands, version: versionCommand };
  return Object.hasOwn(own, firstWord) ? own : { ...own, ...(await methodCommands()) };
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
  config: "profiles",
  exec: "query",
  execute: "query",
  export: "query --output FILE",
  history: "runs list",
  kill: "cancel",
  list: "runs list",
  ls: "runs list",
  plan: "explain",
  ps: "runs list",
  rerun: "runs show RUN --sql",
  run: "query",
  schema: "tables",
  select: "query",
  show: "tables",
  sql: "query",
  start: "serve",
  status: "runs list",
};

/** Returns what to do about an unknown word in the place of a command. */
function commandAdvice(input: string, closest: string | undefined): string {
  if (/\.sql$/i.test(input)) return `did you mean \`quern query --file ${input}\`?`;
  // The framework puts the name in backticks. Few letters occur in many names, so the first one must be the same.
  if (closest !== undefined && (input.length > 3 || closest[1] === input[0])) return `did you mean ${closest}?`;
  const [word = "", second] = input.trim().toLowerCase().split(/\s+/);
  if (Object.hasOwn(meantCommands, word)) return `did you mean \`quern ${meantCommands[word]}\`?`;
  return second === undefined ? "`quern --help` lists the commands" : 'if it is a statement, write `quern -c "…"`';
}

function packageVersion(): string {
  const manifest: { readonly version: string } = JSON.parse(
    readFileSync(new URL("package.json", packageFolder), "utf8"),
  );
  return manifest.version;
}

/** Returns the texts of the framework. Errors before a command runs are one line or one JSON object, as those of commands. */
function texts(json: boolean, firstWord: string | undefined): ApplicationText {
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
    exceptionWhileParsingArguments: (error) => failureText(argumentError(error, firstWord)),
    exceptionWhileLoadingCommandFunction: failureText,
  };
}
