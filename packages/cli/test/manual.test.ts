import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { createApplication } from "../src/application.ts";
import { manPage } from "../src/manual/man-page.ts";

const { root } = await createApplication(undefined, false);
const page = manPage(root, "1.2.3");

it("the manual page has a section for each command, with its flags", () => {
  const sections = [...page.matchAll(/^\.SS "quern (.*?)"$/gm)].map(([, words = ""]) => words.replaceAll("\\-", "-"));
  for (const start of [
    "query [sql]",
    "runs list",
    "sources add source from",
    "get-query-run",
    "cancel run...",
    "version",
  ])
    expect(sections).toContain(start);
  expect(page).toContain("\\fB\\-F\\fR, \\fB\\-\\-format\\fR \\fBtable\\fR|");
  expect(page).toContain("\\fB\\-\\-header\\fR, \\fB\\-\\-no\\-header\\fR");
});

it("the built page is that of the commands", () => {
  const built = readFileSync(new URL("../dist/man/quern.1", import.meta.url), "utf8");
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  expect(built).toBe(manPage(root, version));
});

it.each([
  ["groff", ["-man", "-Tutf8", "-ww", "-z"]],
  ["mandoc", ["-Tlint", "-W", "warning"]],
] as const)("%s has no warnings, if it is here", (command, args) => {
  const { error, stdout, stderr, status } = spawnSync(command, args, { input: page, encoding: "utf8" });
  if (error !== undefined) return expect(error).toMatchObject({ code: "ENOENT" });
  expect({ stdout, stderr, status }).toEqual({ stdout: "", stderr: "", status: 0 });
});
