import { expect, it } from "vitest";
import { createLog, type LogOptions } from "../../src/common/log.ts";

/** Logs an event and an error, and returns the lines as objects. */
function linesOf(level?: LogOptions["level"]) {
  const lines: string[] = [];
  const log = createLog({ level, write: (line) => lines.push(line) });
  log.info?.("run ended", { runId: "run_1", rows: 2, isReused: false });
  log.error("run failed", new TypeError("broken"), { runId: "run_2" });
  expect(lines.every((line) => line.endsWith("}\n"))).toBe(true);
  return lines.map((line) => JSON.parse(line));
}

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
const info = { level: "info", time, runId: "run_1", rows: 2, isReused: false, msg: "run ended" };
const error = {
  ...{ level: "error", time, runId: "run_2", msg: "run failed" },
  err: { type: "TypeError", message: "broken", stack: expect.stringContaining("TypeError: broken") },
};

it("writes each event and each error as one JSON object, without the process and the host", () => {
  expect(linesOf()).toEqual([info, error]);
});

it.each<[LogOptions["level"], object[]]>([
  ["info", [info, error]],
  ["error", [error]],
  ["silent", []],
])("writes at the level %s only what belongs to it", (level, lines) => {
  expect(linesOf(level)).toEqual(lines);
});

it("logs what is thrown and no error by its text", () => {
  const lines: string[] = [];
  createLog({ write: (line) => lines.push(line) }).error("run failed", "a text");
  expect(JSON.parse(lines.join())).toMatchObject({ err: { type: "Error", message: "a text" } });
});

it("writes no API key and no token, however many a line has", () => {
  const lines: string[] = [];
  const log = createLog({ write: (line) => lines.push(line) });
  const [key, other] = ["qk_0123abcd_Abc-_9", "qk_ffffffff_x"];
  log.info?.(`${key} ${other}`, { token: "eyJhbGciOi.eyJzdWIi.c2ln-_" });
  log.info?.("qk_0123abcd eyJhbGciOi.eyJzdWIi qk_0123abcg_x", {});
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { msg: "[key] [key]", token: "[key]" },
    { msg: "qk_0123abcd eyJhbGciOi.eyJzdWIi qk_0123abcg_x" },
  ]);
});
