import type { Application } from "@stricli/core";
import type { Context } from "../command-function.ts";
import { isOnlyProfile, splitProfile } from "../profiles/profile-words.ts";
import { withQueryCommand } from "../statement/query-words.ts";
import { type ListNames, proposalsFor } from "./proposals.ts";

/** Longest wait for names from the service. A shell is blocked while it completes. */
const longestWaitMs = 1_000;

/** Line to complete. */
interface Line {
  readonly words: readonly string[];
  /** Profile that is named before the command. */
  readonly profile: string | undefined;
}

/** Reads the words of a line to complete. @param count Number of the words, because some shells leave out an empty last one. */
export function lineOf([count = "", ...words]: readonly string[]): Line {
  const [profile, line] = splitProfile(Number(count) > words.length ? [...words, ""] : words);
  // The shell has the flag of a profile without a command.
  const withCommand = line.length > 0 && isOnlyProfile(line) ? ["shell", ...line] : line;
  return { words: withQueryCommand(line[0] === "help" && line.length > 1 ? line.slice(1) : withCommand), profile };
}

/**
 * Prints the proposals for the last word of a line: each with its text after a tab, and a last line that names the kind of the
 * files that the shell adds. Errors, such as that no service answers, are silent.
 */
export async function complete(
  { root }: Pick<Application<Context>, "root">,
  { words, profile }: Line,
  context: Context,
): Promise<void> {
  const signal = AbortSignal.timeout(longestWaitMs);
  const late = new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  // The client is loaded only if names of the service are asked for.
  const listNames: ListNames = async (kind, flags) => {
    const chosen = profile === undefined ? flags : new Map([["profile", profile], ...flags]);
    const list = async () => (await import("./names.ts")).knownNames(context, signal)(kind, chosen);
    return Promise.race([list(), late]).catch(() => []);
  };
  late.catch(() => {});
  const { values, files } = await proposalsFor(root, words, listNames);
  const lines = values.map(({ value, about }) => (about === undefined ? value : `${value}\t${shortened(about)}`));
  const { stdout } = context.process;
  await new Promise<void>((resolve) => stdout.write(`${[...lines, `:${files}`].join("\n")}\n`, () => resolve()));
  // A connection to a service that does not answer would keep the process alive.
  context.process.exit(0);
}

/** Returns the first sentence, without its full stop and line ends. */
function shortened(text: string): string {
  const [sentence = ""] = text.replace(/\s+/g, " ").split(/(?<=\.) (?=[A-Z])/);
  return sentence.replace(/\.$/, "");
}
