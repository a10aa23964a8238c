import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiKey, startServer, type TestServer, temporaryDirectory } from "../../../server/test/fixture.ts";
import { fileOf } from "../../../server/test/uploads/fixture.ts";
import { quern } from "../quern.ts";

let server: TestServer;
let folder: string;
beforeAll(async () => {
  server = await startServer();
  folder = await temporaryDirectory();
  await writeFile(join(folder, "regions.csv"), "origin,region\nDE,Europe\nES,Iberia\n");
  await writeFile(join(folder, "lines.JSONL"), '{"origin":"DE","cars":2}\n{"origin":"ES","cars":1}\n');
  await writeFile(join(folder, "data.txt"), "a\n1\n");
  await mkdir(join(folder, "folder.csv"));
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const run = (words: readonly string[], stdin?: string) =>
  quern(["query", ...words, "--csv", "--no-header"], { QUERN_URL: server.url, QUERN_API_KEY: apiKey }, stdin);

describe("quern query --with", () => {
  it("reads files of this machine and stdin as tables of each statement", async () => {
    const parquet = await fileOf("select 'DE' as origin, 7 as n", "parquet");
    const files = [`regions=${join(folder, "regions.csv")}`, `cars=${join(folder, "lines.JSONL")}`, `"a b"=${parquet}`];
    const flags = files.flatMap((file) => ["--with", file.replaceAll('"', "")]);
    const sql = 'select region, cars from regions join cars using (origin) join "a b" using (origin)';
    expect(await run([...flags, sql])).toEqual({ status: 0, stdout: "Europe,2\n", stderr: "" });
    expect(await run([...flags, `${sql}; select count(*) from regions`])).toMatchObject({
      status: 0,
      stdout: "Europe,2\n\n2\n",
    });
    expect(await run(["--with", "t:csv=-", "select sum(n) from t"], "n\n1\n2\n")).toMatchObject({ stdout: "3\n" });
  });

  it.each([
    [["regions"], /expected name=file/],
    [["t=data.txt"], /got the extension \.txt; choose the format: t:csv=data\.txt/],
    [["t=-"], /expected a format for -, such as t:csv=-/],
    [["t=none.csv"], /cannot read none\.csv: .*check the path of --with/],
    [["t=folder.csv"], /it is a folder/],
    [["a:csv=-", "b:csv=-"], /two tables from stdin/],
    [["a=regions.csv", "A=regions.csv"], /two files for the table a/],
  ])("refuses %j", async (given, message) => {
    const flags = given.flatMap((file) => ["--with", file.replace("folder.csv", join(folder, "folder.csv"))]);
    const { status, stderr, stdout } = await run([...flags, "select 1"]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(message);
  });

  it("does not read a statement and a table from stdin", async () => {
    expect((await run(["--with", "t:csv=-"], "select 1")).stderr).toMatch(/cannot read the statement and a table/);
  });
});
