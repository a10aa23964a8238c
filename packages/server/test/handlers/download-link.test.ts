import { submission } from "@quern/adapter/contract";
import { createRun, type RunRecord } from "@quern/query-run/record";
import { expect, it, vi } from "vitest";
import type { LinkedDownload } from "../../src/downloads/link.ts";
import type { Context, Service } from "../../src/handlers/context.ts";
import { getQueryRunDownload } from "../../src/handlers/get-query-run-download.ts";
import { createTestClock } from "../fixture.ts";

const clock = createTestClock();
const result = { columns: [], rowCount: 1, totalBytes: 1 };

/** Requests a link to the result of a run. */
async function link(headers: Record<string, string>, parts: Partial<Service> = {}, change: Partial<RunRecord> = {}) {
  const run: RunRecord = {
    ...createRun({ ...submission().run, id: "run_a" }, clock.now()),
    state: "QUERY_STATE_SUCCESS",
    result,
    endedAt: clock.now(),
    ...change,
  };
  const signed: LinkedDownload[] = [];
  const audited = vi.fn();
  const service = {
    store: { runs: { run: async () => run } },
    clock,
    links: {
      async token(download: LinkedDownload) {
        signed.push(download);
        return "token";
      },
    },
    telemetry: { audited },
    ...parts,
  } as unknown as Service;
  const principal = {
    tenantId: "tenant",
    userId: "user",
    apiKeyId: "key_1",
    scopes: new Set(),
    sources: null,
  };
  const context = { principal, headers: new Headers(headers) } as unknown as Context;
  const answer = await getQueryRunDownload({ queryRunId: "run_a", format: "csv" }, context, service);
  return { answer, signed, audited };
}

it.each([
  [{}, undefined, /^\/[^/].*token$/],
  [{ host: "a.example:8080" }, undefined, /^http:\/\/a\.example:8080\/.*token$/],
  [{ host: "a.example", "x-forwarded-proto": "https" }, undefined, /^https:\/\/a\.example\/.*token$/],
  [{ host: "a.example", "x-forwarded-proto": "ftp" }, undefined, /^http:\/\/a\.example\/.*token$/],
  [{ host: "a.example" }, "https://public.example/quern", /^https:\/\/public\.example\/quern\/.*token$/],
])("leads to the host of the request %j, or to the public URL %s", async (headers, publicUrl, url) => {
  expect((await link(headers as Record<string, string>, { publicUrl })).answer.url).toMatch(url);
});

it("is valid for 15 minutes, at most as long as the result, and names the caller as its reader", async () => {
  const now = clock.now();
  const later = await link({}, {}, { expiresAt: now + 900_001 });
  const reader = { tenantId: "tenant", userId: "user", apiKeyId: "key_1" };
  expect(later.signed).toEqual([{ runId: "run_a", format: "csv", expiresAt: now + 900_000, reader }]);
  expect(later.answer).toMatchObject({
    expiresAt: new Date(now + 900_000).toISOString(),
    contentType: expect.stringContaining("csv"),
  });
  const sooner = await link({}, {}, { expiresAt: now + 60_000 });
  expect(sooner.signed[0]?.expiresAt).toBe(now + 60_000);
  expect(sooner.audited.mock.calls).toEqual([[expect.anything(), "result.link", { runId: "run_a", format: "csv" }]]);
});

it("has an id of 16 random bytes if it works once", async () => {
  const ids = await Promise.all([1, 2].map(async () => (await link({}, { singleUseLinks: true })).signed[0]?.id ?? ""));
  expect(ids.map((id) => Buffer.from(id, "base64url").length)).toEqual([16, 16]);
  expect(ids[0]).not.toBe(ids[1]);
});

it("needs a result, and lasts the whole time for one without an expiry", async () => {
  const state = "QUERY_STATE_FAILED";
  await expect(link({}, {}, { state, result: null })).rejects.toMatchObject({ data: { state } });
  expect((await link({}, {}, { expiresAt: null })).signed[0]?.expiresAt).toBe(clock.now() + 900_000);
});
