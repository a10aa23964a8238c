import { readFile } from "node:fs/promises";
import { type Configuration, readConfiguration } from "@quern/server";
import limitDocument from "@quern/spec/limits.json" with { type: "json" };
import settingDocument from "@quern/spec/settings.json" with { type: "json" };
import { expect, expectTypeOf, it } from "vitest";
import { quern } from "../quern.ts";

/** Names of the settings of the document, such as `jwt.claims.user`. */
function namesIn(table: object, group = ""): readonly string[] {
  return Object.entries(table).flatMap(([name, { members }]) =>
    members === undefined ? [`${group}${name}`] : namesIn(members, `${group}${name}.`),
  );
}

const { limits: _, ...settings } = settingDocument.settings;
const names = namesIn(settings);
const limits = Object.keys(limitDocument.limits).map((name) => `limits.${name}`);

it("has each setting and limit of the documents in its variables, its help, its configuration and the reference", async () => {
  const { stdout } = await quern(["configuration", "--json"]);
  const rows: readonly { readonly name: string; readonly variable: string }[] = JSON.parse(stdout);
  expect(rows.map(({ name }) => name)).toEqual([...names, ...limits]);
  const help = (await quern(["serve", "--help"])).stdout;
  const reference = (page: string) => readFile(new URL(`../../../../docs/reference/${page}`, import.meta.url), "utf8");
  const [settingPage, limitPage] = await Promise.all([reference("settings.md"), reference("limits.md")]);
  const missing = rows.flatMap(({ name, variable }) => {
    const isLimit = limits.includes(name);
    expect(() => readConfiguration({ env: { [variable]: "" }, flags: {} })).not.toThrow();
    const places = {
      help: isLimit || help.includes(`\n  ${name}  `) || help.includes(`\n  ${variable}  `),
      reference: isLimit
        ? limitPage.includes(`| \`${name}\` |`)
        : settingPage.includes(`| \`${name}\` | \`${variable}\` |`),
    };
    return Object.entries(places).flatMap(([place, isThere]) => (isThere ? [] : [`${name}: ${place}`]));
  });
  expect(missing).toEqual([]);
});

it("has each setting and limit of the documents in its options", () => {
  type Document = typeof settingDocument.settings;
  type Members<Group extends "audit" | "jwt"> = keyof Document[Group]["members"];
  expectTypeOf<keyof Configuration>().toEqualTypeOf<keyof Document>();
  expectTypeOf<keyof NonNullable<Configuration["audit"]>>().toEqualTypeOf<Members<"audit">>();
  expectTypeOf<keyof NonNullable<Configuration["jwt"]>>().toEqualTypeOf<Members<"jwt">>();
  expectTypeOf<keyof NonNullable<Configuration["limits"]>>().toEqualTypeOf<keyof typeof limitDocument.limits>();
});
