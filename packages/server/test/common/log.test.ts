import { expect, it } from "vitest";
import { createLog, type LogOptions } from "../../src/common/log.ts";

/** Logs an event and an error, and returns the lines as objects. */
function linesOf(level?: LogOptions["level"]) {
  const lines: string[] = [];
  const log = createLog({ level, write: (line) => lines.push(line) });
  log.debug?.("run claimed", { runId: "run_1" });
  log.info?.("run ended", { runId: "run_1", rows: 2, isReused: false });
  log.warn?.("disk nearly full");
  log.error("run failed", new TypeError("broken"), { runId: "run_2" });
  expect(lines.every((line) => line.endsWith("}\n"))).toBe(true);
  return lines.map((line) => JSON.parse(line));
}

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
const info = { level: "info", time, runId: "run_1", rows: 2, isReused: false, msg: "run ended" };
const debug = { level: "debug", time, runId: "run_1", msg: "run claimed" };
const warn = { level: "warn", time, msg: "disk nearly full" };
const error = {
  level: "error",
  time,
  runId: "run_2",
  msg: "run failed",
  err: { type: "TypeError", message: "broken", stack: expect.stringContaining("TypeError: broken") },
};

it("writes each event and each error as one JSON object, without the process and the host", () => {
  expect(linesOf()).toEqual([info, warn, error]);
});

it.each<[LogOptions["level"], object[]]>([
  ["debug", [debug, info, warn, error]],
  ["info", [info, warn, error]],
  ["warn", [warn, error]],
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

it("writes no control character of a text, in ASCII, in C1 or of bidirectional text, and keeps the text", () => {
  const lines: string[] = [];
  const text = "\u001b[2J \u009b2J \u007f \u202e ü";
  createLog({ write: (line) => lines.push(line) }).warn?.(text, { source: text });
  expect(lines.join("")).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u);
  expect(JSON.parse(lines.join(""))).toMatchObject({ msg: text, source: text });
});
