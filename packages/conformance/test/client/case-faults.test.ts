import { describe, expect, it } from "vitest";
import type { AdversaryCase, ConnectionFault, Fault } from "../../src/client/case.ts";
import { slowCases } from "../../src/client/cases/statuses.ts";
import { adversaryCases } from "../../src/client/cases.ts";

const cases = [...adversaryCases, ...slowCases];
const last = ({ faults }: AdversaryCase): Fault => faults.at(-1) ?? {};
const namesOf = (has: (one: AdversaryCase) => unknown) => cases.filter(has).map(({ name }) => name);

describe("the fault of a case", () => {
  it.each<[ConnectionFault, RegExp]>([
    ["byte-by-byte", /byte by byte/],
    ["close-mid-body", /closed mid-body/],
    ["reset-mid-body", /reset mid-body/],
    ["stall-mid-body", /half of (the|a) body/],
    ["stall-mid-headers", /half of the headers/],
    ["trickle", /endless whitespace/],
    ["close", /closed without a response|connection closed in the second call/],
    ["reset", /reset without a response|connection reset in the second call|polls reset/],
    ["hang", /no response|create without a response|abort during/],
    ["close-after-body", /closed between/],
  ])("is %s if the name has %s", (connection, name) => {
    expect(namesOf((one) => last(one).connection === connection)).toEqual(namesOf((one) => name.test(one.name)));
  });

  it("changes the response, except if it is for a later one", () => {
    const isEmpty = ({ on: _, batch: __, times: ___, ...effects }: Fault) => Object.keys(effects).length === 0;
    expect(namesOf((one) => isEmpty(last(one)))).toEqual(namesOf(({ faults }) => faults.length === 0));
    expect(namesOf(({ faults }) => faults.length === 0)).toEqual([
      "connection refused",
      "query on a good network",
      "query on a server with three methods",
      "pages of a server with three methods",
      "several pages",
    ]);
  });

  it("is in every response if one would be followed by a retry that succeeds", () => {
    const isRepeatable = ({ name, calls, sequence }: AdversaryCase) =>
      sequence === undefined && calls?.[0]?.method !== "createQueryRun" && !name.startsWith("create");
    const isLost = ({ endings }: AdversaryCase) => endings.every((end) => ["network", "timeout"].includes(end));
    expect(namesOf((one) => isRepeatable(one) && isLost(one) && last(one).times !== "ever")).toEqual([
      "connection refused",
    ]);
    expect(namesOf((one) => last(one).times === "ever" && one.endings.every((end) => end === "right"))).toEqual([
      "one error for the whole batch",
      "one error with HTTP 400 for the whole batch",
      "first response without an array",
      "HTTP 500 for every batch",
      "HTTP 413 for every batch",
      "HTML for every batch",
      "connection: close every time",
      "HTTP/1.0 body that ends with the connection",
    ]);
  });

  it("is in a batch if the name has one", () => {
    expect(namesOf(({ faults }) => faults.some(({ batch }) => batch === true))).toEqual(
      namesOf(({ name }) => /batch|^first response without an array$/.test(name)),
    );
  });

  it("has an HTML page if the name has one, or the status of a proxy", () => {
    const isPage = (one: AdversaryCase) => /^<html>.*<\/html>$/.test(last(one).body ?? "");
    expect(namesOf((one) => /HTML/.test(one.name) && !isPage(one))).toEqual([]);
    const proxied = [408, 500, 502, 503, 504];
    expect(namesOf((one) => proxied.includes(last(one).status ?? 0) && !isPage(one))).toEqual([
      "HTTP 502 with a response object",
    ]);
  });

  it("has each status that matters", () => {
    const statuses = (name: RegExp) => cases.filter((one) => name.test(one.name)).map((one) => last(one).status);
    expect(statuses(/^redirect with HTTP/)).toEqual([301, 302, 303, 307, 308]);
    expect(statuses(/^HTTP \d+ with HTML$/)).toEqual([400, 401, 403, 404, 405, 410, 413, 415, 500, 501]);
    expect(statuses(/^HTTP \d+ once$/)).toEqual([408, 429, 502, 503, 504]);
    expect(statuses(/^HTTP 429 with/)).toEqual(Array.from({ length: 8 }, () => 429));
    const waits = cases.flatMap((one) => last(one).headers?.["retry-after"] ?? []);
    expect(waits).toEqual([
      "0",
      "{earlier}",
      "soon, or -1",
      "3600",
      "{later}",
      "99999999999999999999",
      "0",
      "1",
      "{soon}",
    ]);
  });

  it("has the delays and the headers that the name describes", () => {
    expect(
      cases.flatMap(({ name, faults }) => faults.flatMap(({ delayMs }) => (delayMs ? [[name, delayMs]] : []))),
    ).toEqual([
      ["delayed response", 30],
      ["create answered after the caller aborts", 30],
      ["cancel by idempotency key refused", 100],
      ["poll answered with HTTP 504 after a delay", 30],
    ]);
    const headers = cases.flatMap((one) => Object.entries(last(one).headers ?? {}).map((header) => header.join(": ")));
    expect(headers.filter((text) => text.length < 100 && !text.startsWith("retry-after"))).toEqual([
      "content-type: text/html",
      "content-type: text/plain; charset=utf-8",
      "content-encoding: gzip",
      ...Array.from({ length: 5 }, () => "location: /elsewhere"),
      "location: /x",
      "content-length: 100000",
      "connection: close",
    ]);
    expect(headers.filter((text) => text.length >= 100)).toEqual(
      [8192, 100_000, 100_000].map((length) => `x-trace: ${"x".repeat(length)}`),
    );
  });

  it("of raw bytes is a response of HTTP, or the protocol that the name has", () => {
    const raws = cases.flatMap(({ faults }) => faults.flatMap(({ raw }) => raw ?? []));
    expect(raws.length).toBe(11);
    const odd = raws.filter((raw) => !/^HTTP\/1\.[01] \d{3} [\w ]+\r\n(\w[\w-]*: .*\r\n)*\r\n/.test(raw));
    expect(odd.map((raw) => raw.split("\r\n")[0])).toEqual(["220 mail.example ESMTP", "hello"]);
    expect(raws.filter((raw) => raw.includes("transfer-encoding: chunked\r\n\r\n")).length).toBe(2);
    expect(raws.filter((raw) => raw.includes("content-length: {length}\r\n")).length).toBe(6);
    expect(raws.filter((raw) => raw.includes("content-type: application/json")).length).toBe(8);
    expect(raws.filter((raw) => raw.includes("\r\n\r\n{all}")).length).toBe(8);
  });

  it("is of a service that is absent or basic in three cases", () => {
    expect(namesOf(({ service }) => service === "absent")).toEqual(["connection refused"]);
    expect(namesOf(({ service }) => service !== undefined)).toEqual([
      "connection refused",
      "query on a server with three methods",
      "pages of a server with three methods",
    ]);
  });
});

describe("the calls of a case", () => {
  it("are polls of the runs a and b, a create and a first page", () => {
    const made = cases.flatMap(({ calls = [], sequence = [] }) => [...calls, ...sequence]);
    expect([...new Set(made.map((call) => JSON.stringify(call)))].map((text) => JSON.parse(text))).toEqual([
      { method: "getQueryRun", params: { queryRunId: "a" } },
      {
        method: "getQueryRunResults",
        params: { queryRunId: "a", format: "csv", page: { number: 1, size: 100 } },
      },
      {
        method: "createQueryRun",
        params: {
          sql: "select 1",
          resultTTLHours: 1,
          maxAgeMinutes: 0,
          tags: {},
          dataSource: "main",
          dataProvider: "main",
        },
      },
      { method: "getQueryRun", params: { queryRunId: "b" } },
    ]);
  });

  it("are of the method that the name has", () => {
    const made = (method: string) => namesOf(({ calls }) => calls?.some((call) => call.method === method));
    expect(made("createQueryRun")).toEqual([
      "create answered with HTTP 429",
      "create answered with HTTP 502",
      "batch with a create answered with HTML",
      "create reset without a response",
      "create closed mid-body",
    ]);
    expect(made("getQueryRunResults")).toEqual(["wrong charset", "body byte by byte"]);
    expect(namesOf(({ query }) => query?.pageSize !== undefined)).toEqual([
      "pages of a server with three methods",
      "several pages",
      "second page reset mid-body",
      "second page answered with HTML",
      "second page without rows",
      "no response to the second page",
    ]);
  });
});
