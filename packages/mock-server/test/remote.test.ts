import { createClient, query } from "@quern/client";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createMockServer } from "../src/index.ts";
import { type Listening, listen } from "../src/listen.ts";
import { AdminError, remoteNamespace } from "../src/remote.ts";
import { callerOf } from "./caller.ts";

let server: Listening;
beforeAll(async () => {
  server = await listen(createMockServer());
});
afterAll(() => server.close());

describe("a namespace of a mock in another process", () => {
  it("has the functions of a mock, and works as options of a client", async () => {
    await using quern = await remoteNamespace(`${server.url}/`, { clock: { startAt: "2030-01-01T00:00:00Z" } });
    const failure = { fails: { errorMessage: "no" }, times: 2 };
    expect(await quern.when("select 1", { sequence: [failure, { rows: [{ n: 1 }] }] })).toMatch(/^stub_/);
    const outcome = () => query(createClient(quern), { sql: "select 1" }).catch(({ kind }) => kind);
    expect([await outcome(), await outcome(), (await outcome()).rowCount]).toEqual(["failed", "failed", 1]);
    expect(await quern.advance("30s")).toBe("2030-01-01T00:00:30.000Z");
    expect((await quern.calls("createQueryRun")).map(({ params }) => params)).toMatchObject(
      Array.from({ length: 3 }, () => ({ sql: "select 1" })),
    );
    expect(await quern.calls()).toEqual((await quern.history()).calls);
  });

  it("is isolated from others", async () => {
    await using first = await remoteNamespace(server.url);
    await using second = await remoteNamespace(server.url);
    await first.when("select 1", { rows: [] });
    await query(createClient(first), { sql: "select 1" });
    expect(await second.calls()).toEqual([]);
    await expect(query(createClient(second), { sql: "select 1" })).rejects.toThrow('no stub matches "select 1"');
    await second.reset();
    expect(await second.calls()).toEqual([]);
  });

  it("fails a test with problems, and ends", async () => {
    const quern = await remoteNamespace(server.url);
    await quern.fault("listQueryRuns", { status: 503 });
    await callerOf(quern).create("select 2");
    await expect(quern.finish()).rejects.toThrow(
      /^the mock server reports unexpected calls or unused faults:\n {2}no stub matches "select 2".*\n {2}the fault {"status":503} of listQueryRuns was applied to no call$/,
    );
    await expect(quern.calls()).rejects.toThrow("Unknown API key");
  });

  it("warns of stubs that matched no statement", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const quern = await remoteNamespace(server.url);
    await quern.when("select 1", { rows: [] });
    await quern.finish();
    expect(warn.mock.calls).toEqual([
      ['unused stub: when("select 1") matched no statement; remove it, or correct its matcher'],
    ]);
    warn.mockRestore();
  });

  it("reports the reason of an error", async () => {
    await using quern = await remoteNamespace(server.url);
    await expect(quern.fault("getQueryRuns" as "getQueryRun", {})).rejects.toThrow(
      /received "getQueryRuns": fault: unknown method "getQueryRuns"; did you mean getQueryRun\?$/,
    );
  });

  it("refuses a misspelt member with the right one", async () => {
    const refusal = await remoteNamespace(server.url, { strcit: true } as object).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(AdminError);
    expect(refusal).toMatchObject({ code: -32602, message: expect.stringContaining("did you mean strict?") });
  });

  it("reports that no mock server answers, and an invalid URL", async () => {
    await expect(remoteNamespace("http://127.0.0.1:1/")).rejects.toThrow(
      "no mock server answers at http://127.0.0.1:1; start one with `quern mock`",
    );
    await expect(remoteNamespace(process.env.QUERN_NO_SUCH_VARIABLE as string)).rejects.toThrow(
      "remoteNamespace: invalid url: expected the address of a mock server such as http://127.0.0.1:8090, got nothing",
    );
  });

  it("reports an address that is not a mock server", async () => {
    await expect(remoteNamespace(`${server.url}/elsewhere`)).rejects.toThrow(
      `${server.url}/elsewhere does not answer as a mock server; check the URL: HTTP 404`,
    );
  });
});
