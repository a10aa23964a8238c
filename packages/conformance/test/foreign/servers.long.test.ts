import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { conform, type ExpectedFailures, formatReport, type Report } from "../../src/index.ts";
import { causesOf } from "../../src/server/causes.ts";
import { failuresOf } from "../../src/server/check.ts";
import { basicCorpora, basicDocument } from "./basic-interface.ts";

const run = promisify(execFile);
const apiKey = "any key";
const fileAt = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Checks of features that the two servers do not have, with the reasons. */
const noExtensions = "it has only the three basic methods";
const noOptions =
  "it does not accept waitSeconds, results, parameters, idempotencyKey, page.offset, filters and sortBy";
const noLimits = "it does not check the length of texts, nor the number and the values of tags";
const baseline: ExpectedFailures = {
  ...because(noExtensions, "ORPC-097", "ORPC-098", "ORPC-103", "ORPC-105", "CANCEL-001", "CANCEL-002", "CANCEL-003"),
  ...because(noExtensions, "CANCEL-004", "CANCEL-005", "CANCEL-006", "CANCEL-007", "DOWNLOAD-001", "STATEMENT-001"),
  ...because(
    noExtensions,
    "LIST-001",
    "LIST-002",
    "LIST-003",
    "LIST-004",
    "LIST-005",
    "LIST-006",
    "LIST-007",
    "USAGE-001",
    "LIMITS-001",
    "PROFILE-001",
    "PROFILE-002",
    "SUMMARY-001",
    "SUMMARY-002",
    "SUMMARY-003",
    "SUMMARY-004",
    "CANCEL-008",
    "CANCEL-009",
    "STATEMENT-002",
    "DESCRIBE-001",
    "TABLES-001",
    "TABLES-002",
    "COMPLETE-001",
    "UPLOAD-001",
  ),
  ...because(
    noOptions,
    "RUN-004",
    "REUSE-001",
    "REUSE-002",
    "REUSE-003",
    "IDEM-001",
    "IDEM-002",
    "FIRST-001",
    "FIRST-002",
    "FIRST-003",
    "SORT-001",
    "SORT-002",
    "SORT-003",
    "PAGE-005",
    "SORT-004",
    "SORT-005",
    "SORT-006",
    "FILTER-004",
    "FILTER-006",
    "VALUE-007",
  ),
  ...because(noOptions, "FILTER-001", "FILTER-002", "FILTER-003", "FILTER-005", "fuzz/views", "UPLOAD-002"),
  ...because(noLimits, "ROB-091", "fuzz/createQueryRun/excluded", "fuzz/getQueryRun/excluded"),
};

function because(reason: string, ...ids: readonly string[]): ExpectedFailures {
  return Object.fromEntries(ids.map((id) => [id, reason]));
}

interface ForeignServer {
  readonly name: string;
  /** Returns the command that starts the server. */
  readonly command: (folder: string) => Promise<readonly string[]>;
  readonly lacks: () => Promise<string | undefined>;
  /** Checks that it fails, beside those of `baseline`. */
  readonly baseline: ExpectedFailures;
  /** Name of each fault, and a part of the problem that reports it. */
  readonly faults: readonly (readonly [name: string, found: string | RegExp])[];
}

const lackOf = (tool: string, ...args: readonly string[]) =>
  run(tool, args).then(
    () => undefined,
    () => `the machine lacks ${tool}`,
  );

const servers: readonly ForeignServer[] = [
  {
    name: "a server of Python's standard library",
    lacks: () => lackOf("python3", "--version"),
    command: async () => ["python3", fileAt("server.py")],
    baseline: {
      ...because("SQLite has no decimals, timestamps and booleans", "VALUE-002", "VALUE-003", "VALUE-004"),
      ...because("SQLite has no types of columns without rows", "RUN-006"),
      ...because("it gives large integers as numbers", "VALUE-001"),
      ...because("it gives columns of one name one member of objects", "VALUE-005"),
    },
    faults: [
      ["gives ids as texts", 'id: expected 1, got "1"'],
      ["answers notifications", "expected 0 responses, got 1"],
      ["loses a member", "/sqlStatement/statementHash is missing"],
      ["gives instants without a zone", '/queryRun/createdAt must match format "date-time"'],
      ["counts pages from 0", /\/result\/rows: expected \[.*\], got \[\]/],
      ["lets ended runs go on", /changed after its end: state was "QUERY_STATE_SUCCESS" and is "QUERY_STATE_RUNNING"/],
      ["counts the rows of the page in place of all", "/result/page/totalRows: expected 3, got 2"],
      ["refuses an unknown run with another code", "expected the error -32099, got"],
      ["changes when a run has ended", /changed after its end: endedAt was ".*" and is "/],
      ["answers a batch with its first reply", "expected an array, got {"],
    ],
  },
  {
    name: "a server of Go's standard library",
    lacks: () => lackOf("go", "version"),
    baseline: because(
      "it runs only statements of positive numbers and texts of one column, or of VALUES",
      ...["RUN-006", "PAGE-006", "PAGE-007"],
      ...["VALUE-001", "VALUE-002", "VALUE-003", "VALUE-004", "VALUE-005", "VALUE-006"],
    ),
    async command(folder) {
      await run("go", ["build", "-o", join(folder, "server"), fileAt("server.go"), fileAt("runs.go")], {
        timeout: 120_000,
      });
      return [join(folder, "server")];
    },
    faults: [
      ["loses jsonrpc", 'jsonrpc: expected "2.0", got nothing'],
      ["says that its answers are plain text", "content type: expected application/json, got text/plain"],
      ["gives text ids of digits as numbers", 'id: expected "1", got 1'],
      ["answers a batch of notifications with an empty array", "expected an empty body, got []"],
      ["gives instants as seconds", /\/queryRun\/createdAt must be string, got \d+/],
      ["answers errors with HTTP 500", "HTTP 500: server error"],
      [
        "repeats the last row of a page on the next one",
        '/result/rows: expected [["Europe",73]], got [["Japan",79],["Europe",73]]',
      ],
      ["gives rows of the format json as arrays", "/result/rows: expected [{"],
      ["changes the size of an ended run", /changed after its end: totalSize was "\d+" and is "\d+"/],
      ["rounds the number of pages down", "/result/page/totalPages: expected 2, got 1"],
    ],
  },
];

/** Starts a server, which prints its address. */
async function start(
  [file = "", ...args]: readonly string[],
  fault: number,
): Promise<AsyncDisposable & { url: string }> {
  const env = { ...process.env, FAULT: String(fault), API_KEY: apiKey };
  const child: ChildProcess = spawn(file, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(child.stdout ?? child, "data");
  return {
    url: String(line).trim(),
    async [Symbol.asyncDispose]() {
      child.kill();
      await once(child, "exit");
    },
  };
}

const failed = ({ results }: Report) => results.filter((result) => failuresOf(result).length > 0);

for (const { name, lacks, command, baseline: own, faults } of servers) {
  const lack = await lacks();
  if (lack !== undefined) {
    it.skip(`${name} does not run here: ${lack}`); // as its name says
    continue;
  }
  describe(name, () => {
    let folder = "";
    let started: readonly string[] = [];
    let options: Omit<Parameters<typeof conform>[0], "url"> & { readonly expectedFailures: ExpectedFailures };
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "quern-foreign-"));
      started = await command(folder);
      options = {
        apiKey,
        timeoutMs: 60_000,
        document: await basicDocument(),
        corpora: await basicCorpora(),
        expectedFailures: { ...baseline, ...own },
      };
    }, 150_000);
    afterAll(() => rm(folder, { recursive: true }));

    async function reportOf(fault: number, only = (_: { readonly id: string }) => true): Promise<Report> {
      await using server = await start(started, fault);
      return await conform({ ...options, url: server.url, seed: 1, only });
    }

    it("conforms, except for features that it does not have", async () => {
      const report = await reportOf(0);
      expect(report.isConformant && report.isConclusive, formatReport(report)).toBe(true);
      expect(report.results.filter(({ outcome }) => outcome === "passed").length).toBeGreaterThan(130);
    });

    it.each(faults.map((fault, index) => [...fault, index + 1] as const))(
      "fails if it %s, as one cause in a short report",
      async (_, found, number) => {
        // Properties with random values, hostile requests and checks of missing features take most of the time, and no fault
        // needs them. A batch of several faulty answers is a cause of its own.
        const isLeftOut = (id: string) => /^(?:fuzz\/|ROB-|RESULT-002)/.test(id) || id in options.expectedFailures;
        const report = await reportOf(number, ({ id }) => !isLeftOut(id));
        const text = formatReport(report);
        expect(report.isConformant, text).toBe(false);
        expect(causesOf(failed(report)), text).toHaveLength(1);
        if (typeof found === "string") expect(text).toContain(found);
        else expect(text).toMatch(found);
        expect(text.split("\n").length).toBeLessThan(60);
      },
    );
  });
}
