import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMockServer } from "@quern/mock-server";
import { listen } from "@quern/mock-server/listen";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withFakePackages } from "../fake-packages.ts";

const packages: Record<string, object> = {};
const line = withFakePackages(packages);
const transpiler = {
  init: async () => {},
  transpile: (sql: string) => ({ sql: sql.includes("top 1") ? ["SELECT n FROM t LIMIT 1"] : null }),
};

const mock = createMockServer();
const refuse = (sql: string, errorName: string, errorMessage: string, errorData: object) =>
  mock.when(sql).fails({ errorName, errorMessage, errorData: { category: "USER", ...errorData } });
mock.when("select n from t order by n").rows([{ n: 1 }]);
mock.when("select n::float as n\nfrom t").rows([{ n: 1 }]);
mock.when("select n::double as n\nfrom t").rows([{ n: 1 }]);
mock.when("select coalesce(n, 0) as n\nfrom t").rows([{ n: 1 }]);
mock.when("SELECT n FROM t LIMIT 1").rows([{ n: 1 }]);
refuse("select nvl(n, 0) as n\nfrom t", "CatalogError", "there is no nvl\nDid you mean nullif?", {
  line: 1,
  column: 8,
  candidates: ["nullif"],
});
refuse("select top 1 n from t", "ParserError", "syntax error at 1 (line 1, column 12)", { line: 1, column: 12 });
refuse("select m from t", "BinderError", "there is no\u001b[2J column m", {});

let folder: string;
let env: Readonly<Record<string, string>>;
let close: () => Promise<void>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "quern-migrate-"));
  await mkdir(join(folder, "old/deep"), { recursive: true });
  await writeFile(
    join(folder, "old/a.sql"),
    "-- all\nselect n from t order by n;\n\nselect nvl(n, 0) as n\nfrom t; -- end\n",
  );
  await writeFile(join(folder, "old/deep/b.sql"), "select n::float as n\nfrom t");
  await writeFile(join(folder, "old/deep/empty.sql"), "-- nothing\n");
  await mkdir(join(folder, "old/node_modules/package"), { recursive: true });
  await writeFile(join(folder, "old/node_modules/package/c.sql"), "select m from t");
  await writeFile(join(folder, "by-hand.sql"), "select m from t;\nselect top 1 n from t");
  const listener = await listen(mock);
  env = { QUERN_URL: listener.url, QUERN_API_KEY: mock.apiKey };
  close = listener.close;
});
afterAll(async () => {
  await close();
  await rm(folder, { recursive: true });
});

const check = async (...words: readonly string[]) => {
  const ended = await line.quern(["migrate", "check", ...words.map((word) => word.replace("DIR", folder))], env);
  return { ...ended, stdout: ended.stdout.replaceAll(folder, "DIR"), stderr: ended.stderr.replaceAll(folder, "DIR") };
};

const nvl = `    line 4, column 8: CatalogError: there is no nvl; did you mean nullif?
    - select nvl(n, 0) as n
    + select coalesce(n, 0) as n
`;
const float = `    line 1: FLOAT has 32 bits, about 7 digits, not 64 bits; write \`::double\`
    - select n::float as n
    + select n::double as n
`;

describe("quern migrate check", () => {
  it("prints the verdict of each statement of a folder, with its reason and the changed lines", async () => {
    expect(await check("DIR/old", "DIR/old/**/*.sql")).toEqual({
      status: 1,
      stdout: `DIR/old/a.sql:2  runs
DIR/old/a.sql:4  rewrite proposed
${nvl}DIR/old/deep/b.sql:1  may differ silently
${float}
3 statements: 1 runs, 1 may differ silently, 1 rewrite proposed
`,
      stderr: "",
    });
  });

  it("succeeds if the data source accepts all statements", async () => {
    expect(await check("DIR/old/deep/b.sql")).toMatchObject({ status: 0 });
  });

  it("names the transpiler if it is missing, and uses it if it is there", async () => {
    const missing = await check("DIR/by-hand.sql");
    expect(missing).toEqual({
      status: 1,
      stdout: `DIR/by-hand.sql:1  by hand
    BinderError: there is no\\u001b[2J column m
DIR/by-hand.sql:2  by hand
    line 2, column 12: ParserError: syntax error at 1

2 statements: 2 by hand
`,
      stderr: "more statements may be rewritten with @polyglot-sql/sdk; install it: npm install @polyglot-sql/sdk\n",
    });
    packages["@polyglot-sql/sdk"] = transpiler;
    const { stdout, stderr } = await check("DIR/by-hand.sql");
    expect(stdout).toContain(
      "    - select top 1 n from t\n    + SELECT n FROM t LIMIT 1\n    written by the transpiler",
    );
    expect(stderr).toBe("");
  });

  it("prints one JSON object with --json, whose lines are those of the file", async () => {
    const { status, stdout } = await check("DIR/old/a.sql", "--json");
    const refusal = { errorName: "CatalogError", message: "there is no nvl\nDid you mean nullif?", line: 4, column: 8 };
    expect({ status, report: JSON.parse(stdout) }).toEqual({
      status: 1,
      report: {
        counts: { runs: 1, "may-differ": 0, rewrite: 1, "by-hand": 0 },
        statements: [
          { file: "DIR/old/a.sql", line: 2, verdict: "runs", differences: [] },
          {
            file: "DIR/old/a.sql",
            line: 4,
            verdict: "rewrite",
            refusal: { ...refusal, candidates: ["nullif"] },
            differences: [],
            rewrite: { sql: "select coalesce(n, 0) as n\nfrom t", by: "rules", differences: [] },
          },
        ],
      },
    });
  });

  it("writes the whole file with the rewrites beside the old one, and keeps a file that was changed", async () => {
    const words = ["DIR/old/a.sql", "--write"];
    expect(await check(...words)).toMatchObject({ stderr: "wrote DIR/old/a.quern.sql\n" });
    const written = join(folder, "old/a.quern.sql");
    const text = "-- all\nselect n from t order by n;\n\nselect coalesce(n, 0) as n\nfrom t; -- end\n";
    expect(await readFile(written, "utf8")).toBe(text);
    expect(await check(...words)).toMatchObject({ stderr: "wrote DIR/old/a.quern.sql\n" });
    await writeFile(written, "select 1");
    const stderr = "kept DIR/old/a.quern.sql, which has other text; remove it to write it again\n";
    expect(await check(...words)).toMatchObject({ stderr });
    expect((await check("DIR/old")).stdout).not.toContain("a.quern.sql:");
  });

  it.each([
    [["DIR/none/*.sql"], "no file matches: DIR/none/*.sql; name files with SQL, or a folder of them"],
    [["DIR/old/deep/empty.sql"], "missing statement: the files have only comments"],
  ])("%j is a usage error", async (words, message) => {
    expect(await check(...words)).toEqual({ status: 2, stdout: "", stderr: `quern: ${message}\n` });
  });

  it("ends at an error that is not of a statement", async () => {
    const words = ["migrate", "check", join(folder, "old/a.sql")];
    expect(await line.quern(words, { ...env, QUERN_API_KEY: "qk_other" })).toMatchObject({ status: 3, stdout: "" });
  });
});
