import type { RunRecord } from "@quern/query-run/record";
import { afterEach, describe, expect, it, vi } from "vitest";
import { stateOf, sweepStorage } from "../../src/results/sweep.ts";
import { runOf } from "../fixture.ts";
import { scriptedStorage } from "../scripted-storage.ts";

afterEach(() => void vi.useRealTimers());

const owner = (change: Partial<RunRecord> = {}) => runOf("run_a", { state: "QUERY_STATE_SUCCESS", ...change });

describe("a result", () => {
  it.each<[string, Partial<RunRecord> | undefined, string]>([
    ["run_a.1", {}, "stored"],
    ["run_a.1", { state: "QUERY_STATE_RUNNING" }, "written"],
    ["run_a.1", { state: "QUERY_STATE_STREAMING_RESULTS" }, "written"],
    ["run_a.1", { state: "QUERY_STATE_FAILED" }, "orphaned"],
    ["run_a.1", { state: "QUERY_STATE_READY" }, "orphaned"],
    ["run_a.1", { archivedAt: 1 }, "orphaned"],
    ["run_a.2", {}, "orphaned"],
    ["run_a.1", undefined, "orphaned"],
    ["other", undefined, "stored"],
  ])("%s of the run %j is %s", async (name, change, state) => {
    const asked: string[] = [];
    const found = await stateOf(name, async (id) => {
      asked.push(id);
      return change && owner(change);
    });
    expect([found, asked]).toEqual([state, name === "other" ? [] : ["run_a"]]);
  });
});

it("removes the results and uploads that no run owns, and old uploads of stored results", async () => {
  vi.useFakeTimers({ now: 100 * 24 * 3_600_000, toFake: ["Date"] });
  const ago = (hours: number, ms = 0) => new Date(Date.now() - hours * 3_600_000 - ms);
  const key = (name: string) => `prefix/results/${name}.parquet`;
  const names = ["run_stored.1", "run_gone.1", "other", "run_gone.2"];
  const storage = scriptedStorage((command) => {
    if (command === "ListObjectsV2")
      return { Contents: [...names.map((name) => ({ Key: key(name) })), { Key: "prefix/results/a.txt" }, {}] };
    if (command !== "ListMultipartUploads") return undefined;
    return {
      Uploads: [
        { Key: key("run_gone.1"), UploadId: "gone", Initiated: ago(0) },
        { Key: key("run_stored.1"), UploadId: "old", Initiated: ago(24, 1) },
        { Key: key("run_stored.1"), UploadId: "new", Initiated: ago(24) },
        { Key: key("run_stored.1"), UploadId: "without a time" },
        { Key: key("run_written.1"), UploadId: "written", Initiated: ago(1_000) },
        { Key: "prefix/results/a.txt", UploadId: "other", Initiated: ago(1_000) },
        {},
      ],
    };
  });
  const forgotten: string[] = [];
  await sweepStorage(
    storage,
    async (id) => {
      if (id === "run_gone") return undefined;
      return owner({ id, state: id === "run_written" ? "QUERY_STATE_RUNNING" : "QUERY_STATE_SUCCESS" });
    },
    async (name) => void forgotten.push(name),
  );
  expect(forgotten).toEqual(["run_gone.1", "run_gone.2"]);
  const within = { Bucket: "bucket", Prefix: "prefix/results/" };
  expect(storage.requests).toEqual([
    ["ListObjectsV2", within],
    ["DeleteObject", { Bucket: "bucket", Key: key("run_gone.1") }],
    ["DeleteObject", { Bucket: "bucket", Key: key("run_gone.2") }],
    ["ListMultipartUploads", within],
    ["AbortMultipartUpload", { Bucket: "bucket", Key: key("run_gone.1"), UploadId: "gone" }],
    ["AbortMultipartUpload", { Bucket: "bucket", Key: key("run_stored.1"), UploadId: "old" }],
  ]);
});

it("removes nothing from an empty bucket", async () => {
  const storage = scriptedStorage(() => undefined);
  await sweepStorage(
    storage,
    async () => undefined,
    async () => {},
  );
  expect(storage.requests.map(([command]) => command)).toEqual(["ListObjectsV2", "ListMultipartUploads"]);
});
