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
import { UsageError } from "./errors/cli-error.ts";
import { failureJson, failureLine, failureOf } from "./errors/failure.ts";

/** The command tree. Methods are loaded with the client, unless the first word names another command. */
export async function createApplication(firstWord: string | undefined, json: boolean): Promise<Application<Context>> {
  const isOwn = firstWord !== undefined && (Object.hasOwn(ownCommands, firstWord) || firstWord === "--version");
  const routes = isOwn ? ownCommands : { ...ownCommands, ...(await methodCommands()) };
  const root = buildRouteMap<string, Context>({
    routes,
    docs: {
      brief: "Run SQL queries on a Quern service.",
      fullDescription: [
        "Runs SQL queries on a Quern service, and starts one. Each method of the service is a command, too.",
        "",
        "EXAMPLES",
        '  quern query "select 1 as n"',
        "  quern result run_8d41c7 --format csv",
        "  quern serve --data-dir ./data",
        "",
        "QUERN_URL is the address of the service, QUERN_API_KEY the key.",
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

/** Spells the flags that a message suggests as the help does. */
function withFlagNames(message: string): string {
  const [mistake = "", ...advice] = message.split(", did you mean ");
  const words = advice.map((word) => word.replace(/(?<=--\w+)[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));
  return [mistake, ...words].join(", did you mean ");
}

/** Prints an error before a command runs like any other: in one line, or as JSON. */
function texts(json: boolean): ApplicationText {
  const tell = (error: unknown): string => {
    const failure = failureOf(error);
    return json ? failureJson(failure) : failureLine(failure);
  };
  return {
    ...text_en,
    noCommandRegisteredForInput({ input, corrections: [closest] }) {
      const advice = closest === undefined ? "`quern --help` lists them" : `did you mean ${closest}?`;
      return tell(new UsageError(`there is no command ${input}; ${advice}`));
    },
    exceptionWhileParsingArguments: (error) =>
      tell(new UsageError(withFlagNames(error instanceof Error ? error.message : String(error)))),
    exceptionWhileLoadingCommandFunction: tell,
  };
}
