import { createClient, query } from "@quern/client";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createMockServer } from "../src/index.ts";
import { type Listening, listen } from "../src/listen.ts";
import { AdminError, remoteNamespace } from "../src/remote.ts";
import { callerOf } from "./caller.ts";

let door: Listening;
beforeAll(async () => {
  door = await listen(createMockServer());
});
afterAll(() => door.close());

describe("a namespace of a mock in another process", () => {
  it("is scripted as a mock is, and is what a client is made of", async () => {
    await using quern = await remoteNamespace(`${door.url}/`, { clock: { startAt: "2030-01-01T00:00:00Z" } });
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

  it("sees nothing of another", async () => {
    await using first = await remoteNamespace(door.url);
    await using second = await remoteNamespace(door.url);
    await first.when("select 1", { rows: [] });
    await query(createClient(first), { sql: "select 1" });
    expect(await second.calls()).toEqual([]);
    await expect(query(createClient(second), { sql: "select 1" })).rejects.toThrow('no stub matches "select 1"');
    await second.reset();
    expect(await second.calls()).toEqual([]);
  });

  it("fails a test that does more than it has provided for, and ends", async () => {
    const quern = await remoteNamespace(door.url);
    await quern.fault("listQueryRuns", { status: 503 });
    await callerOf(quern).create("select 2");
    await expect(quern.finish()).rejects.toThrow(
      /^the mock server reports unexpected calls or unused faults:\n {2}no stub matches "select 2".*\n {2}the fault {"status":503} of listQueryRuns met no call$/,
    );
    await expect(quern.calls()).rejects.toThrow("Unknown API key");
  });

  it("warns of stubs that matched no statement", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const quern = await remoteNamespace(door.url);
    await quern.when("select 1", { rows: [] });
    await quern.finish();
    expect(warn.mock.calls).toEqual([
      ['unused stub: when("select 1") matched no statement; remove it, or correct its matcher'],
    ]);
    warn.mockRestore();
  });

  it("tells the reason of a refusal", async () => {
    await using quern = await remoteNamespace(door.url);
    await expect(quern.fault("getQueryRuns" as "getQueryRun", {})).rejects.toThrow(
      /received "getQueryRuns": fault: unknown method "getQueryRuns"; did you mean getQueryRun\?$/,
    );
  });

  it("refuses a misspelt member with the right one", async () => {
    const refusal = await remoteNamespace(door.url, { strcit: true } as object).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(AdminError);
    expect(refusal).toMatchObject({ code: -32602, message: expect.stringContaining("did you mean strict?") });
  });

  it("says where no mock server answers, and what is no address", async () => {
    await expect(remoteNamespace("http://127.0.0.1:1/")).rejects.toThrow(
      "no mock server answers at http://127.0.0.1:1; start one with `quern mock`",
    );
    await expect(remoteNamespace(process.env.QUERN_NO_SUCH_VARIABLE as string)).rejects.toThrow(
      "remoteNamespace: invalid url: expected the address of a mock server such as http://127.0.0.1:8090, got nothing",
    );
  });

  it("says what is no mock server", async () => {
    await expect(remoteNamespace(`${door.url}/elsewhere`)).rejects.toThrow(
      `${door.url}/elsewhere is not a mock server: HTTP 404`,
    );
  });
});
