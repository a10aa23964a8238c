import type { Command, RouteMap } from "@stricli/core";
import type { Context } from "../command-function.ts";

type Target = Command<Context> | RouteMap<Context>;
type Flags = NonNullable<Command<Context>["parameters"]["flags"]>;
type Flag = Flags[string];

/** Value for the word at the cursor, and a short text about it. */
export interface Proposal {
  readonly value: string;
  readonly about?: string;
}

/** Files or folders, which the shell completes itself. */
type FileKind = "none" | "files" | "folders";

export interface Proposals {
  readonly values: readonly Proposal[];
  readonly files: FileKind;
}

/** Names of the configuration file or of the service. */
type NameKind = "profiles" | "sources" | "tables" | "runs";

/** Lists names, those of the service for the service that the flags of the line choose. */
export type ListNames = (kind: NameKind, flags: ReadonlyMap<string, string>) => Promise<readonly Proposal[]>;

const filePlaceholders = new Set(["file", "from", "ledger", "pattern", "name=file"]);
const none: Proposals = { values: [], files: "none" };

/**
 * Proposes values for the last one of the words of a command line, by the routes, flags and arguments of the commands. The
 * framework's own function proposes no values of flags, and cannot leave files to the shell.
 */
export async function proposalsFor(root: Target, words: readonly string[], listNames: ListNames): Promise<Proposals> {
  const current = words.at(-1) ?? "";
  const typed = words.slice(0, -1);
  let target = root;
  const route: string[] = [];
  while ("getAllEntries" in target) {
    const word = typed[route.length];
    if (word === undefined) return matching(namesOf(target, current, target === root), current);
    const next = target.getRoutingTargetForInput(word);
    if (next === undefined) return none;
    target = next;
    route.push(word);
  }
  const { flags = {}, aliases = {}, positional } = target.parameters;
  const line = readLine(typed.slice(route.length), flags, aliases);
  const valuesOf = async (name: string, parameter: object, word: string): Promise<Proposals> => {
    const { placeholder = "" } = parameter as { readonly placeholder?: string };
    if ("values" in parameter) return matching((parameter.values as readonly string[]).map(named), word);
    if ("proposeCompletions" in parameter && typeof parameter.proposeCompletions === "function")
      return matching((await parameter.proposeCompletions(word)).map(named), word);
    if (placeholder === "folder") return { values: [], files: "folders" };
    if (filePlaceholders.has(placeholder)) return { values: [], files: "files" };
    const kind = flagKinds[name] ?? (route[0] === "sources" ? undefined : nameKinds[placeholder]);
    return kind === undefined ? none : matching(await listNames(kind, line.values), word);
  };
  if (line.open !== undefined) return valuesOf(line.open[0], line.open[1], current);
  if (current.startsWith("-") && !line.isEscaped) {
    const [, word, value] = /^--([\w-]+)=(.*)$/s.exec(current) ?? [];
    if (word === undefined || value === undefined) return matching(flagsOf(flags, line.used), current);
    const found = flagNamed(flags, word);
    if (found === undefined) return none;
    const { values, files } = await valuesOf(found[0], found[1], value);
    return { values: values.map((each) => ({ ...each, value: `--${word}=${each.value}` })), files };
  }
  const parameter = positional?.kind === "tuple" ? positional.parameters[line.args] : positional?.parameter;
  const proposals = parameter === undefined ? none : await valuesOf("", parameter, current);
  const isEmpty = proposals.files === "none" && proposals.values.length === 0;
  return isEmpty && current === "" && !line.isEscaped ? matching(flagsOf(flags, line.used), current) : proposals;
}

const flagKinds: Readonly<Record<string, NameKind | undefined>> = { dataSource: "sources", profile: "profiles" };
const nameKinds: Readonly<Record<string, NameKind | undefined>> = { profile: "profiles", table: "tables", run: "runs" };

function named(value: string): Proposal {
  return { value };
}

function matching(values: readonly Proposal[], current: string): Proposals {
  return { values: values.filter(({ value }) => value.startsWith(current)), files: "none" };
}

function namesOf(target: RouteMap<Context>, current: string, isRoot: boolean): readonly Proposal[] {
  if (current.startsWith("-")) return isRoot ? [help, ...rootFlags] : [help];
  const entries = target.getAllEntries().filter(({ hidden }) => !hidden);
  return entries.map(({ name, target: { brief } }) => ({ value: name.original, about: brief }));
}

const help: Proposal = { value: "--help", about: "Print this help." };
const rootFlags: readonly Proposal[] = [
  { value: "--version", about: "Print the version." },
  { value: "--profile", about: "Profile of the configuration file." },
];

/** Returns the flags that can still be given. */
function flagsOf(flags: Flags, used: ReadonlySet<string>): readonly Proposal[] {
  const open = Object.entries(flags).filter(
    ([name, flag]) => !("hidden" in flag && flag.hidden) && (!used.has(name) || isVariadic(flag)),
  );
  const proposals = open.flatMap(([name, flag]) => {
    const value = `--${kebabCase(name)}`;
    const about = { about: flag.brief };
    const isNegated = flag.kind === "boolean" && flag.withNegated !== false;
    return isNegated
      ? [
          { value, ...about },
          { value: `--no-${kebabCase(name)}`, ...about },
        ]
      : [{ value, ...about }];
  });
  return [...proposals, help];
}

function isVariadic(flag: Flag): boolean {
  return "variadic" in flag && flag.variadic !== undefined && flag.variadic !== false;
}

interface Line {
  /** Flag whose value is the next word. */
  readonly open: readonly [name: string, flag: Flag] | undefined;
  readonly used: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, string>;
  /** Number of arguments that are not flags. */
  readonly args: number;
  /** True after `--`, which ends the flags. */
  readonly isEscaped: boolean;
}

/** Reads the words of a command before the cursor. */
function readLine(words: readonly string[], flags: Flags, aliases: Readonly<Record<string, string | undefined>>): Line {
  const used = new Set<string>();
  const values = new Map<string, string>();
  let open: Line["open"];
  let args = 0;
  let isEscaped = false;
  for (const word of words) {
    if (open !== undefined) {
      values.set(open[0], word);
      open = undefined;
    } else if (isEscaped || !/^-./.test(word)) args += 1;
    else if (word === "--") isEscaped = true;
    else {
      const [, long, short, value] = /^(?:--([^=]+)|-(\w+))(?:=(.*))?$/s.exec(word) ?? [];
      const alias = aliases[short?.at(-1) ?? ""];
      const found = long === undefined ? flagNamed(flags, alias ?? "") : flagNamed(flags, long);
      if (found === undefined) continue;
      used.add(found[0]);
      if (value !== undefined) values.set(found[0], value);
      else if (found[1].kind === "parsed" || found[1].kind === "enum") open = found;
    }
  }
  return { open, used, values, args, isEscaped };
}

/** Finds a flag by its name in a line: `data-source`, `dataSource` or, of a flag without a value, `no-header`. */
function flagNamed(flags: Flags, word: string): readonly [name: string, flag: Flag] | undefined {
  return Object.entries(flags).find(
    ([name, { kind }]) =>
      name === word || kebabCase(name) === word || (kind === "boolean" && `no-${kebabCase(name)}` === word),
  );
}

function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
