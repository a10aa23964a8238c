import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Log, LogFields } from "@quern/server";
import { expect, it } from "vitest";
import { apiKey, createGate, gatedKind, idleKind, startServer } from "../fixture.ts";
import { callWith } from "../identity/callers.ts";

const made = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
const list = { jsonrpc: "2.0", id: 1, method: "listQueryRuns", params: [{}] };

it("each answer has an id: the caller's where it is well formed, otherwise one of its own", async () => {
  await using server = await startServer({ kind: idleKind });
  const answered = async (given: Record<string, string>) => {
    const { headers } = await callWith(server.url, { "x-api-key": apiKey, ...given }, list);
    return headers.get("x-request-id");
  };
  const tracing = "Root=1-67891233-abcdef012345678912345678";
  expect(await answered({ "x-request-id": tracing })).toBe(tracing);
  for (const bad of ["", "two words", '"quoted"', "<script>", "x".repeat(129)]) {
    expect(await answered({ "x-request-id": bad })).toEqual(made);
  }
  expect(await answered({})).toEqual(made);
  expect(await answered({})).not.toBe(await answered({}));
  for (const path of ["/healthz", "/json-rpc", "/results/none", "/nothing"]) {
    expect((await fetch(server.url + path)).headers.get("x-request-id")).toEqual(made);
  }
});

it("a page of another origin may send it and read it", async () => {
  await using server = await startServer({ kind: idleKind });
  const origin = "https://app.example.com";
  const preflight = await fetch(`${server.url}/json-rpc`, { method: "OPTIONS", headers: { origin } });
  const allowed = preflight.headers.get("access-control-allow-headers")?.split(", ");
  expect(allowed).toEqual(expect.arrayContaining(["x-api-key", "authorization", "x-request-id"]));
  for (const headers of [{ origin }, { origin, "x-api-key": apiKey }]) {
    const answer = await callWith(server.url, headers, list);
    expect(answer.headers.get("access-control-expose-headers")?.split(", ")).toContain("x-request-id");
  }
  const download = await fetch(`${server.url}/results/none`, { headers: { origin } });
  expect(download.headers.get("access-control-expose-headers")?.split(", ")).toContain("x-request-id");
});

it("the log and the audit log have it", async () => {
  const logged: (LogFields | undefined)[] = [];
  const log: Log = { error: (_message, _error, fields) => logged.push(fields) };
  await using server = await startServer({
    kind: {
      ...idleKind,
      async describe() {
        throw new Error("the engine is broken");
      },
    },
    log,
  });
  const describe = { ...list, method: "describeQuery", params: [{ sql: "select 1" }] };
  const failed = await callWith(server.url, { "x-api-key": apiKey, "x-request-id": "req-7" }, describe);
  expect(await failed.json()).toMatchObject({ error: { code: -32603 } });
  expect(logged).toEqual([{ requestId: "req-7" }]);
  const refused = await callWith(server.url, { "x-api-key": "wrong" }, list);
  const audit = (await readFile(join(server.dataDir, "audit.jsonl"), "utf8")).trimEnd().split("\n");
  expect(JSON.parse(audit.at(-1) ?? "")).toMatchObject({
    action: "access.refused",
    requestId: refused.headers.get("x-request-id"),
  });
});

it("the audit log has it for a cancellation, beside the request that was withdrawn", async () => {
  await using server = await startServer({ kind: gatedKind(idleKind, { before: createGate() }) });
  const headers = { "x-api-key": apiKey, "x-request-id": "req-8" };
  const call = async (method: string, params: object) => {
    const answer = await callWith(server.url, headers, { ...list, method, params: [params] });
    return (await answer.json()) as { readonly result: { readonly queryRequest: { id: string; queryRunId: string } } };
  };
  const { id: queryRequestId, queryRunId } = (await call("createQueryRun", { sql: "select 1" })).result.queryRequest;
  await call("cancelQueryRun", { queryRunId, queryRequestId });
  const audit = (await readFile(join(server.dataDir, "audit.jsonl"), "utf8")).trimEnd().split("\n");
  expect(JSON.parse(audit.at(-1) ?? "")).toMatchObject({
    action: "run.cancel",
    requestId: "req-8",
    runId: queryRunId,
    queryRequestId,
  });
});
