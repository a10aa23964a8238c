import type { Command, RouteMap } from "@stricli/core";
import type { Context } from "../command-function.ts";

type Target = Command<Context> | RouteMap<Context>;
type Parameters = Command<Context>["parameters"];

/** Date in the page, which is the same in each build. */
const date = "2026-11-30";

/** Returns the manual page of the command line in the language of man, with a section for each command. */
export function manPage(root: Target, version: string): string {
  const { description, sections } = partsOf(root.fullDescription ?? root.brief);
  const lines = [
    `.TH QUERN 1 "${date}" "Quern ${version}" "Quern"`,
    ".ad l",
    ".SH NAME",
    "quern \\- run SQL queries on a Quern service",
    ".SH SYNOPSIS",
    "\\fBquern\\fR \\fIcommand\\fR [\\fIarguments\\fR] [\\fIflags\\fR]",
    ".br",
    '\\fBquern\\fR "\\fISQL\\fR" [\\fIflags\\fR]',
    ".SH DESCRIPTION",
    ...paragraphs(description),
    ...sections.flatMap(({ title, text }) => [`.SH ${title}`, ...verbatim(text)]),
    ".SH COMMANDS",
    ...commandsOf(root, "quern").flatMap(([name, command]) => commandLines(name, command)),
    ".SH SEE ALSO",
    "https://github.com/quern\\-dev/quern/blob/main/docs/guides/command\\-line.md",
  ];
  return `${lines.join("\n")}\n`;
}

/** Returns the commands under a target, with their words. */
function commandsOf(target: Target, name: string): readonly (readonly [name: string, command: Command<Context>])[] {
  if (!("getAllEntries" in target)) return [[name, target]];
  return target
    .getAllEntries()
    .filter(({ hidden }) => !hidden)
    .flatMap((entry) => commandsOf(entry.target, `${name} ${entry.name.original}`));
}

function commandLines(name: string, { brief, fullDescription, parameters }: Command<Context>): readonly string[] {
  const { description, sections } = partsOf(fullDescription ?? brief);
  return [
    `.SS "${escaped(name)}${argumentsText(parameters)}"`,
    ...paragraphs(description),
    ...flagLines(parameters),
    ...sections.flatMap(({ title, text }) => [".PP", `\\fB${title}\\fR`, ".PP", ...verbatim(text)]),
  ];
}

function argumentsText({ positional }: Parameters): string {
  if (positional === undefined) return "";
  if (positional.kind === "array") return ` ${escaped(positional.parameter.placeholder ?? "")}...`;
  const texts = positional.parameters.map(({ placeholder = "", optional }) =>
    optional ? `[${escaped(placeholder)}]` : escaped(placeholder),
  );
  return texts.length === 0 ? "" : ` ${texts.join(" ")}`;
}

function flagLines({ flags = {}, aliases = {}, positional }: Parameters): readonly string[] {
  const args = positional?.kind === "tuple" ? positional.parameters : positional ? [positional.parameter] : [];
  const argumentLines = args.flatMap(({ placeholder = "", brief }) => [
    ".TP",
    `\\fI${escaped(placeholder)}\\fR`,
    prose(brief),
  ]);
  const own = Object.entries(flags).filter(([, flag]) => !("hidden" in flag && flag.hidden));
  const lines = own.flatMap(([name, flag]) => {
    const kebab = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const alias = Object.entries(aliases).find(([, long]) => long === name)?.[0];
    const isNegated = flag.kind === "boolean" && flag.withNegated !== false;
    const names = [
      ...(alias === undefined ? [] : [`-${alias}`]),
      `--${kebab}`,
      ...(isNegated ? [`--no-${kebab}`] : []),
    ].map((each) => `\\fB${escaped(each)}\\fR`);
    const preset = "default" in flag && typeof flag.default === "string" ? ` Default: ${flag.default}.` : "";
    const text = /\bDefault: /.test(flag.brief) ? flag.brief : flag.brief + preset;
    return [".TP", names.join(", ") + valueText(flag), prose(text)];
  });
  return [...argumentLines, ...lines];
}

function valueText(flag: NonNullable<Parameters["flags"]>[string]): string {
  if (flag.kind === "enum") return ` ${flag.values.map((value) => `\\fB${escaped(value)}\\fR`).join("|")}`;
  return flag.kind === "parsed" ? ` \\fI${escaped(flag.placeholder ?? "value")}\\fR` : "";
}

interface Parts {
  readonly description: readonly string[];
  /** Texts with a title in capitals, such as the examples. */
  readonly sections: readonly { readonly title: string; readonly text: string }[];
}

function partsOf(text: string): Parts {
  const blocks = text.split("\n\n");
  const sections = blocks.flatMap((block) => {
    const [, title, body] = /^([A-Z][A-Z ]+)\n( {2,}.*)$/s.exec(block) ?? [];
    return title === undefined || body === undefined ? [] : [{ title, text: body }];
  });
  return { description: blocks.filter((block) => !/^[A-Z][A-Z ]+\n {2,}/.test(block)), sections };
}

function paragraphs(blocks: readonly string[]): readonly string[] {
  return blocks.flatMap((block, at) => [...(at === 0 ? [] : [".PP"]), prose(block)]);
}

/** Returns a text whose lines the reader of the page fills, with its code in bold. */
function prose(text: string): string {
  const parts = text.replace(/\s+/g, " ").trim().split("`");
  return guarded(parts.map((part, at) => (at % 2 === 1 ? `\\fB${escaped(part)}\\fR` : escaped(part))).join(""));
}

/** Returns lines that keep their breaks and spaces. */
function verbatim(text: string): readonly string[] {
  return [".nf", ...text.split("\n").map((line) => guarded(escaped(line))), ".fi"];
}

/** Keeps a line that begins with the sign of a request from being one. */
function guarded(line: string): string {
  return line.startsWith(".") || line.startsWith("'") ? `\\&${line}` : line;
}

function escaped(text: string): string {
  return text
    .replaceAll("…", "...")
    .replaceAll("\\", "\\e")
    .replace(/["']/g, (sign) => (sign === "'" ? "\\(aq" : "\\(dq"))
    .replace(/[-`^~]/g, (sign) => ({ "-": "\\-", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti" })[sign] ?? sign)
    .replace(/[^\n -~]/gu, (sign) => `\\[u${sign.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}]`);
}
