import type { Session } from "../session.ts";
import type { Work } from "../work.ts";

/** Kind of argument, for its completion. */
export type ArgumentKind = "file" | "table" | "source" | "variable" | readonly string[];

/** Command of the shell, such as `\d`. */
export interface ShellCommand {
  /** Names without the backslash. The first one stands in the help. */
  readonly names: readonly string[];
  /** Arguments, for the help. */
  readonly syntax: string;
  readonly brief: string;
  readonly argument?: ArgumentKind;
  /** @param rest Text after the name, without white space around it. @param folder Folder of the file that has the command. */
  run(session: Session, rest: string, work: Work, folder: string): Promise<void> | void;
}

/** Parses an argument that is on or off. Without one, returns the opposite of the value. @throws {SyntaxError} */
export function switched(rest: string, value: boolean): boolean {
  if (rest === "") return !value;
  if (/^(on|true|1)$/i.test(rest)) return true;
  if (/^(off|false|0)$/i.test(rest)) return false;
  throw new SyntaxError("expected on or off");
}

/** Returns an argument without the quotes around it. */
export function unquoted(rest: string): string {
  const [, quote = "", text = ""] = /^(['"])([\s\S]*)\1$/.exec(rest) ?? [];
  return quote === "" ? rest : text.replaceAll(quote + quote, quote);
}
