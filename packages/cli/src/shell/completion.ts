import { readdir } from "node:fs/promises";
import { basename, dirname, resolve, sep } from "node:path";
import { type Client, completeSql } from "@quern/client";
import { allTables } from "../catalog/list-tables.ts";
import { printable } from "../output/row.ts";
import type { ArgumentKind } from "./backslash/command.ts";
import { shellCommandOf, shellCommands } from "./backslash/commands.ts";
import { homePath } from "./home-path.ts";
import type { LineCompletion } from "./line-editor.ts";
import type { Session } from "./session.ts";

/** Longest wait for completions of the service, in milliseconds: keys that are typed meanwhile are not shown. */
const timeoutMs = 1_000;

/** Most texts to show. */
const shownTexts = 100;

const none: LineCompletion = [[], ""];

/** Returns texts that fit at the cursor. Never runs a statement, and resolves to none if the service fails. */
export async function completionOf(
  session: Session,
  statement: string,
  line: string,
  cursor: number,
): Promise<LineCompletion> {
  try {
    const before = line.slice(0, cursor);
    const isCommand = /^\s*\\/.test(before);
    const [texts, replaced] = isCommand
      ? await commandCompletion(session, before.trimStart())
      : await sqlCompletion(session.client, session, statement, line, cursor);
    // A control character of a name would control the terminal.
    return [texts.filter((text) => printable(text) === text).slice(0, shownTexts), replaced];
  } catch {
    return none;
  }
}

async function sqlCompletion(
  client: Client,
  { settings: { dataSource, dataProvider } }: Session,
  statement: string,
  line: string,
  cursor: number,
): Promise<LineCompletion> {
  const sql = statement + line;
  const position = statement.length + cursor;
  const { completions } = await completeSql(client, { sql, position, dataSource, dataProvider }, { timeoutMs });
  const [first] = completions;
  if (first === undefined || first.start < statement.length) return none;
  const replaced = sql.slice(first.start, position);
  const isUpper = replaced !== replaced.toLowerCase();
  // The service also finds texts that only contain the letters.
  const start = replaced.replace(/^"/, "").toLowerCase();
  const fitting = completions.filter(
    (each) => each.start === first.start && each.text.replace(/^"/, "").toLowerCase().startsWith(start),
  );
  const isLikely = likelyKinds(fitting[0]?.kind, replaced);
  const texts = fitting
    .filter(({ kind }) => isLikely(kind))
    .map(({ text, kind }) => (kind === "keyword" && isUpper ? text.toUpperCase() : text));
  return [withSpace([...new Set(texts)], line, cursor), replaced];
}

const names: readonly unknown[] = ["catalog", "schema", "table", "column"];

/** Returns a test of kinds: where a name fits best, keywords are left out, and functions, too, if nothing is typed. */
function likelyKinds(first: string | null | undefined, replaced: string): (kind: string | null) => boolean {
  if (first === "keyword") return () => true;
  if (replaced === "" && names.includes(first)) return (kind) => names.includes(kind);
  return (kind) => kind !== "keyword";
}

/** Adds a space to the only text, after which a word follows unless it ends with a dot. */
function withSpace(texts: readonly string[], line: string, cursor: number): readonly string[] {
  const [only, second] = texts;
  const isOnly = only !== undefined && second === undefined && cursor === line.length;
  return isOnly && !only.endsWith(".") ? [`${only} `] : texts;
}

async function commandCompletion(session: Session, before: string): Promise<LineCompletion> {
  const [, name] = /^\\(\S*)$/.exec(before) ?? [];
  if (name !== undefined) {
    const known = shellCommands.flatMap((command) => command.names.map((each) => `\\${each}`));
    return [
      withSpace(
        known.filter((each) => each.startsWith(before)),
        before,
        before.length,
      ),
      before,
    ];
  }
  const { command } = shellCommandOf(before);
  const word = /\s([^\s]*)$/.exec(before)?.[1] ?? "";
  if (command.argument === undefined) return none;
  if (command.argument === "file") return fileCompletion(before.replace(/^\S+\s+/, ""));
  const texts = await argumentTexts(session, command.argument, word);
  return [texts.filter((text) => text.toLowerCase().startsWith(word.toLowerCase())), word];
}

async function argumentTexts(
  { client, settings: { dataSource, variables } }: Session,
  kind: Exclude<ArgumentKind, "file">,
  word: string,
): Promise<readonly string[]> {
  switch (kind) {
    case "table": {
      const tables = await allTables(client, { dataSource, search: word || undefined }, { timeoutMs });
      return [...new Set(tables.map((table) => table.name))];
    }
    case "source": {
      const tables = await allTables(client, {}, { timeoutMs });
      return [...new Set(tables.map((table) => table.dataSource)), "default"];
    }
    case "variable":
      return [...variables.keys()];
    default:
      return kind;
  }
}

async function fileCompletion(typed: string): Promise<LineCompletion> {
  const path = homePath(typed);
  const isFolder = path === "" || /[\\/]$/.test(path);
  const folder = isFolder ? path : dirname(path);
  const start = isFolder ? "" : basename(path);
  const entries = await readdir(resolve(folder), { withFileTypes: true });
  const names = entries
    .filter((entry) => entry.name.startsWith(start) && (start !== "" || !entry.name.startsWith(".")))
    .map((entry) => (entry.isDirectory() ? entry.name + sep : entry.name));
  return [names.sort(), start];
}
