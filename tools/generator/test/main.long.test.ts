import { spawnSync } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { runProgram } from "../src/program.ts";
import { createDocument } from "./support/document.ts";

const repository = fileURLToPath(new URL("../../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "quern-main-"));
const root = join(folder, "tree");
const specFile = join(folder, "openrpc.json");
writeFileSync(specFile, JSON.stringify(createDocument()));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function runProcess(program: string, ...args: readonly string[]): Outcome {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: "utf8" });
  return { status, stdout, stderr };
}

/** Runs the command in this process, because a process of its own first loads the printer for a second. */
async function run(...args: readonly string[]): Promise<Outcome> {
  const stdout: string[] = [];
  const stderr: string[] = [];
  const status = await runProgram(args, {
    log: (line: string) => stdout.push(`${line}\n`),
    error: (line: string) => stderr.push(`${line}\n`),
  });
  return { status, stdout: stdout.join(""), stderr: stderr.join("") };
}

const main = join(repository, "tools/generator/src/main.ts");
const target = ["--spec", specFile, "--out", root];
const generate = (...args: readonly string[]) => run(...target, ...args);

describe("npm run generate", () => {
  it("prints the written files, or that all files are up to date", async () => {
    expect(await generate()).toMatchObject({
      status: 0,
      stderr: "",
      stdout: expect.stringContaining("wrote docs/reference/README.md\n"),
    });
    expect(await generate()).toEqual({ status: 0, stderr: "", stdout: "all generated files are up to date\n" });
    expect(await generate("--check")).toEqual({ status: 0, stderr: "", stdout: "" });
  });

  it("with --check ends with 1 and prints target, file, declaration, source and command", () => {
    for (const file of ["packages/server/src/generated/handlers.ts", "packages/cli/src/generated/settings.ts"])
      appendFileSync(join(root, file), "// more\n");
    appendFileSync(join(root, "docs/reference/settings.md"), "More.\n");
    expect(runProcess(main, ...target, "--check")).toEqual({
      status: 1,
      stdout: "",
      stderr: [
        "cli: packages/cli/src/generated/settings.ts: settingTable is changed; it comes from spec/settings.json#/settings; run `npm run generate`\n",
        "server: packages/server/src/generated/handlers.ts: MethodHandlers is changed; it comes from spec/openrpc.json#/methods; run `npm run generate`\n",
        "reference: docs/reference/settings.md: Settings of the service is changed; it comes from spec/settings.json#/settings; run `npm run generate`\n",
      ].join(""),
    });
  });

  it("prints a fault of the document as one line", async () => {
    const file = join(folder, "wrong.json");
    writeFileSync(file, JSON.stringify({ ...createDocument(), methods: undefined }));
    const outcome = await run("--spec", file, "--out", root);
    expect(outcome).toEqual({
      status: 2,
      stdout: "",
      stderr: "generate: #: not OpenRPC 1.3: must have required property 'methods'\n",
    });
  });

  it("prints all faults of the document, a line each", async () => {
    const { methods, ...document } = createDocument();
    const file = join(folder, "faults.json");
    const changed = methods.map((method) => ({ ...method, paramStructure: "by-name" }));
    writeFileSync(file, JSON.stringify({ ...document, methods: changed }));
    const { status, stderr } = await run("--spec", file, "--out", root);
    const message = "parameters by name are not supported: params is an array of one object; write by-position";
    const lines = [0, 1].map((index) => `generate: #/methods/${index}/paramStructure: ${message}\n`);
    expect({ status, stderr }).toEqual({ status: 2, stderr: lines.join("") });
  });

  it("prints a missing document as one line", async () => {
    const { status, stderr } = await run("--spec", join(folder, "none.json"), "--out", root);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^generate: ENOENT: .*none\.json'\n$/);
  });

  it("names a file by hand that it keeps", async () => {
    writeFileSync(join(root, "docs/reference/mine.md"), "Mine.\n");
    const kept =
      "reference: docs/reference/mine.md: not a generated file: the lock file does not list it; move or remove it by hand\n";
    expect(await generate("--check")).toEqual({ status: 1, stdout: "", stderr: expect.stringContaining(kept) });
    expect((await generate()).stderr).toBe(kept);
    rmSync(join(root, "docs/reference/mine.md"));
  });

  it("prints an invalid option as one line", async () => {
    const { status, stderr } = await run(...target, "--chek");
    expect(status).toBe(2);
    expect(stderr).toMatch(/^generate: Unknown option '--chek'/);
  });
});

describe("without the adapter to @open-rpc/generator", () => {
  it("nothing is generated", () => {
    const copy = join(folder, "copy");
    const tool = join(copy, "tools/generator");
    cpSync(join(repository, "tools/generator/src"), join(tool, "src"), { recursive: true });
    cpSync(join(repository, "tools/generator/package.json"), join(tool, "package.json"));
    const protocol = ["json-value", "schema-table"].map((file) => `packages/protocol/src/${file}.ts`);
    for (const file of [...protocol, "spec/mock-admin.json", "spec/limits.json", "spec/settings.json"])
      cpSync(join(repository, file), join(copy, file));
    mkdirSync(join(copy, "packages/cli/src/commands"), { recursive: true });
    writeFileSync(join(copy, "package.json"), '{ "type": "module" }');
    symlinkSync(join(repository, "tools/generator/node_modules"), join(tool, "node_modules"), "junction");
    const program = join(tool, "src/main.ts");
    const out = join(folder, "other");
    rmSync(join(tool, "src/open-rpc-component.ts"));
    const { status, stderr } = runProcess(program, "--spec", specFile, "--out", out);
    expect(status).toBe(2);
    expect(stderr).toContain("open-rpc-component.ts");
  });
});
