import { readFileSync } from "node:fs";
import {
  type Application,
  type ApplicationText,
  buildApplication,
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
  const isOwn = firstWord !== undefined && (Object.hasOwn(ownCommands, firstWord) || firstWord === "--version");
  const routes = isOwn ? ownCommands : { ...ownCommands, ...(await methodCommands()) };
  const root = buildRouteMap<string, Context>({
    routes,
    docs: {
      brief: "Run SQL queries on a Quern service.",
      fullDescription: [
        "Runs SQL queries on a Quern service. Starts the service or its mock, administers the service, and tests servers and clients.",
        "Each method of the service is a command, too. `quern COMMAND --help` describes a command.",
        "",
        "EXAMPLES",
        '  quern query "select 1 as n"',
        "  quern result run_8d41c7 --format csv",
        "  quern serve --data-dir ./data",
        "",
        "ENVIRONMENT",
        `  QUERN_URL      Address of the service. Default: ${defaultUrl}.`,
        "  QUERN_API_KEY  API key of the service.",
      ].join("\n"),
    },
  });
  return buildApplication(root, {
    name: "quern",
    versionInfo: { currentVersion: packageVersion() },
    scanner: { caseStyle: "allow-kebab-for-camel", allowArgumentEscapeSequence: true },
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
      const advice = closest === undefined ? "`quern --help` lists the commands" : `did you mean ${closest}?`;
      return failureText(new UsageError(`unknown command: ${input}; ${advice}`));
    },
    exceptionWhileParsingArguments: (error) => failureText(argumentError(error)),
    exceptionWhileLoadingCommandFunction: failureText,
  };
}
