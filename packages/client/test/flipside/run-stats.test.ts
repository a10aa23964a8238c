import type { QueryRun } from "@quern/protocol/types";
import { expect, it } from "vitest";
import { runStats } from "../../src/flipside/run-stats.ts";

const times = {
  createdAt: "2026-01-01T00:00:00.000Z",
  startedAt: "2026-01-01T00:00:01.500Z",
  queryRunningEndedAt: "2026-01-01T00:00:04.500Z",
  queryStreamingEndedAt: "2026-01-01T00:00:09.750Z",
  endedAt: "2026-01-01T00:00:12.000Z",
};
const run = (members: object) => ({ ...times, rowCount: 3, totalSize: "4096", ...members }) as unknown as QueryRun;

it("returns the seconds of each phase of a run", () => {
  expect(runStats(run({}))).toEqual({
    startedAt: new Date(times.startedAt),
    endedAt: new Date(times.endedAt),
    queryExecStartedAt: new Date(times.startedAt),
    queryExecEndedAt: new Date(times.queryRunningEndedAt),
    streamingStartedAt: new Date(times.queryRunningEndedAt),
    streamingEndedAt: new Date(times.queryStreamingEndedAt),
    queuedSeconds: 1.5,
    queryExecSeconds: 3,
    streamingSeconds: 5.25,
    elapsedSeconds: 10.5,
    bytes: 4096,
    recordCount: 3,
  });
});

it.each([null, undefined])("returns 0 if the service reports %s as a size", (none) => {
  expect(runStats(run({ rowCount: none, totalSize: none }))).toMatchObject({ bytes: 0, recordCount: 0 });
});

it.each(Object.keys(times))("is null without %s", (name) => {
  expect(runStats(run({ [name]: null }))).toBeNull();
});
