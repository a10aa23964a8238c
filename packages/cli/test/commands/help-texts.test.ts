import { type Application, type CommandContext, generateHelpTextForAllCommands } from "@stricli/core";
import { expect, it } from "vitest";
import { createApplication } from "../../src/application.ts";

// Help does not use the context.
const application = (await createApplication("tables", false)) as unknown as Application<CommandContext>;
const helps: ReadonlyMap<string, string> = new Map(generateHelpTextForAllCommands(application));

/** Numbers of sentences and examples, exit codes, and environment variables in the help of each command. */
const texts: readonly (readonly [name: string, sentences: number, examples: number, codes: string, names: string])[] = [
  ["query", 4, 7, "0 1 2 3 4 5 6 7 8 129 130 143", ""],
  ["shell", 4, 3, "", "QUERN_PAGER XDG_STATE_HOME"],
  ["tables", 3, 2, "", ""],
  ["describe", 2, 2, "", ""],
  ["explain", 2, 2, "", ""],
  ["summarize", 2, 2, "", ""],
  ["result", 2, 3, "0 1 2 3 4 5 6 7 8 129 130 143", ""],
  ["runs list", 2, 5, "", ""],
  ["runs show", 1, 0, "", ""],
  ["runs cancel", 1, 0, "", ""],
  ["runs wait", 2, 0, "0 4 5 6", ""],
  ["cancel", 1, 0, "", ""],
  ["login", 4, 3, "", ""],
  ["logout", 2, 1, "", ""],
  ["profiles list", 1, 0, "", ""],
  ["profiles show", 2, 2, "", ""],
  ["profiles use", 1, 0, "", ""],
  ["profiles remove", 1, 0, "", ""],
  ["types", 4, 3, "0 4", ""],
  ["serve", 3, 5, "", "QUERN_API_KEY QUERN_STORE_PASSWORD QUERN_CONFIG QUERN_LIMITS_MAX_RUNNING_RUNS"],
  ["configuration", 2, 2, "", ""],
  ["mcp", 4, 3, "", ""],
  ["mock", 3, 3, "", "QUERN_API_KEY"],
  ["conform", 3, 4, "0 1 2 3 6 7", ""],
  ["conform-client", 6, 2, "0 1 2", ""],
  ["verify", 3, 2, "0 1 2 3 6 7", ""],
  ["doctor", 5, 2, "0 2 4", ""],
  [
    "sources add",
    3,
    8,
    "",
    "PGPASSWORD AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_PROFILE AWS_SHARED_CREDENTIALS_FILE QUERN_SOURCES",
  ],
  ["sources load", 2, 2, "", ""],
  ["sources list", 1, 0, "", ""],
  ["sources check", 1, 0, "", ""],
  ["sources remove", 1, 0, "", ""],
  ["keys issue", 3, 3, "", ""],
  ["keys list", 1, 0, "", ""],
  ["keys rotate", 1, 0, "", ""],
  ["keys revoke", 1, 0, "", ""],
  ["keys revoke-links", 2, 0, "", ""],
  ["tenants set", 5, 2, "", ""],
  ["tenants list", 1, 0, "", ""],
  ["usage", 1, 1, "", ""],
  ["audit verify", 4, 2, "0 1 2", ""],
  ["erase", 6, 1, "", ""],
  ["migrate-store", 6, 4, "", ""],
  ["migrate check", 3, 3, "0 1 2 3 7", ""],
  ["completion", 2, 1, "", ""],
  ["version", 1, 0, "", ""],
];

/** Text of a section, or "". */
function sectionOf(blocks: readonly string[], title: string): string {
  return blocks.find((block) => block.startsWith(`${title}\n`))?.slice(title.length + 1) ?? "";
}

const wordsOf = (text: string, pattern: RegExp): string => [...text.matchAll(pattern)].join(" ");

it("each command has a row", () => {
  expect(texts.map(([name]) => `quern ${name}`)).toEqual([...helps.keys()]);
});

it.each(texts)(
  "the help of quern %s has %i sentences, %i examples, the exit codes '%s' and the variables '%s'",
  (name, sentences, examples, codes, names) => {
    const [, ...blocks] = (helps.get(`quern ${name}`) ?? "").split("\n\n");
    const prose = blocks.filter((block) => !/^[A-Z ]+\n {2,}\S/.test(block));
    for (const paragraph of prose) expect(paragraph).toMatch(/^[A-Z].*\S\.$/s);
    expect(prose.flatMap((paragraph) => paragraph.match(/[^.\s]\.(?=\s|$)/g))).toHaveLength(sentences);
    const [group = ""] = name.split(" ");
    const commands = sectionOf(blocks, "EXAMPLES").split("\n").filter(Boolean);
    expect(commands).toHaveLength(examples);
    for (const command of commands) expect(command).toMatch(new RegExp(`^  (?:[A-Z_]+=\\w+ )?quern ${group} ?`));
    expect(wordsOf(sectionOf(blocks, "EXIT CODES"), /(?<![\w-])\d+(?!\w)/g)).toBe(codes);
    expect(wordsOf(sectionOf(blocks, "ENVIRONMENT"), /\b(?:[A-Z]+_[A-Z_]+|PGPASSWORD)\b/g)).toBe(names);
  },
);
