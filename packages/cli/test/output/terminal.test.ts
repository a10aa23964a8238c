import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { createMockServer } from "@quern/mock-server";
import { listen } from "@quern/mock-server/listen";
import { array, assert, asyncProperty, constantFrom, integer, property, string, uniqueArray } from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { printableLines } from "../../src/output/terminal.ts";
import { startQuern } from "../quern.ts";

/** Sequences that clear a screen, set its title, hide text and reverse it: in ASCII, in C1 and of bidirectional text. */
const hostile = constantFrom(
  "\u001b[2J",
  "\u001b]0;x\u0007",
  "\u009b2J",
  "\u0008",
  "\r",
  "\u007f",
  "\u0085",
  "\u202e",
  "\u2067",
);
const text = array(
  constantFrom(hostile, string({ unit: "binary", maxLength: 3 })).chain((each) => each),
  {
    minLength: 1,
    maxLength: 4,
  },
).map((parts) => parts.join(""));

/** Matches what no output may have. The CLI itself clears the line of its progress. */
const controls = /[^\P{Cc}\n\t]|\p{Bidi_Control}/u;
const shown = (output: string) => output.replaceAll("\r\u001b[K", "");

const mock = createMockServer();
mock.when("select 1 as n").rows([{ n: "one" }, { n: "two" }]);
mock.when("select bad").fails({ errorName: "BinderError", errorMessage: "there is no column bad" });
let target: Awaited<ReturnType<typeof listen>>;
/** Text that the proxy adds to the strings of an answer, and which of them it changes. */
let addition = "";
let changed: ReadonlySet<number> = new Set();

/** Server whose answers have the text in strings: in names, messages, ids, tags, states, cells and links. */
const proxy = createServer(async (request, response) => {
  const { method, headers, url = "" } = request;
  const body = method === "POST" ? JSON.stringify(await json(request)) : null;
  const sent = { "x-api-key": String(headers["x-api-key"]), "content-type": "application/json" };
  const answer = await fetch(target.url + url, { method: method ?? "GET", headers: sent, body });
  let at = 0;
  const altered = (await answer.text()).replace(/"((?:[^"\\]|\\.)*)"(?!\s*:)/g, (literal) => {
    at += 1;
    return literal === '"2.0"' || !changed.has(at % 40) ? literal : JSON.stringify(JSON.parse(literal) + addition);
  });
  response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "text/plain" });
  response.end(altered);
});
let env: Readonly<Record<string, string>>;
beforeAll(async () => {
  target = await listen(mock);
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  env = { QUERN_URL: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, QUERN_API_KEY: mock.apiKey };
});
afterAll(async () => {
  proxy.close();
  await target.close();
});

const patience = ["--timeout-seconds", "5"];
const commands = [
  ["query", "select 1 as n"],
  ["query", "select 1 as n", "--format", "csv"],
  ["query", "select 1 as n", "--format", "json"],
  ["query", "select bad"],
  ["query", "select bad", "--json"],
  ["runs", "list", "--full"],
  ["runs", "list", "--ids"],
  ["runs", "list", "--format", "csv", "--no-sql"],
  ["create-query-run", "--sql", "select 1 as n"],
  ["get-query-run", "--query-run-id", "run_\u001b[2J"],
  ["list-tables"],
];

it("writes no control character to a terminal, whatever a server answers", async () => {
  const positions = uniqueArray(integer({ min: 0, max: 39 }), { maxLength: 6 });
  const written = asyncProperty(text, positions, constantFrom(...commands), async (added, places, words) => {
    addition = added;
    changed = new Set(places);
    const { stdout, stderr } = await startQuern([...words, ...patience], env, "", { columns: 80 }).ended;
    expect([words, shown(stdout).match(controls), shown(stderr).match(controls)]).toEqual([words, null, null]);
  });
  await assert(written, { numRuns: 120 });
});

it("escapes in messages of a pipe what a person may read later, and no data", async () => {
  addition = "";
  mock.when("select danger").fails({ errorName: "CastError", errorMessage: "\u001b[2J\u009b2J\u202e" });
  const failed = await startQuern(["query", "select danger", ...patience], env).ended;
  expect(failed.stderr).toContain("\\u001b[2J\\u009b2J\\u202e");
  expect(failed.stderr).not.toMatch(controls);
  mock.when("select raw").rows([{ n: "\u009b2J" }]);
  const { stdout } = await startQuern(["query", "select raw", "--format", "csv", ...patience], env).ended;
  expect(stdout).toBe("n\n\u009b2J\n");
});

it("keeps all other characters, and the value of JSON", async () => {
  await assert(
    property(text, (value) => {
      const line = JSON.stringify({ value });
      expect(printableLines(line)).not.toMatch(controls);
      expect(JSON.parse(printableLines(line))).toEqual({ value });
      expect(printableLines("plain ü, 漢字 😀\n\tnext\n")).toBe("plain ü, 漢字 😀\n\tnext\n");
    }),
  );
});
