import { execFileSync, spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { contentDisposition, downloadFileName } from "../src/file-name.ts";

const nameOf = (given: string) => downloadFileName(given, "run_a", "csv");

const hostile: readonly (readonly [given: string, name: string])[] = [
  ["sales", "sales.csv"],
  ["Sales.CSV", "Sales.csv"],
  ["Größe 2026 (Q4).v2", "Größe 2026 (Q4).v2.csv"],
  ["../../etc/passwd", "passwd.csv"],
  ["C:\\Windows\\..\\system.ini", "system.ini.csv"],
  ["a/b/", "run_a.csv"],
  ["", "run_a.csv"],
  ["...", "run_a.csv"],
  [". . .csv", "run_a.csv"],
  [".bashrc", "bashrc.csv"],
  ['a"; filename="evil.exe', "a_; filename=_evil.exe.csv"],
  ["a\r\nset-cookie: b=c", "aset-cookie_ b=c.csv"],
  ["a\u0000b\u007fc\u2028d", "abcd.csv"],
  ["invoice\u202Evsc.exe", "invoicevsc.exe.csv"],
  ["a:stream|<b>?*", "a_stream__b___.csv"],
  ["con", "_con.csv"],
  ["LPT1.txt", "_LPT1.txt.csv"],
  ["\uD800half", "half.csv"],
  ["100%41", "100%41.csv"],
  ["\u{1F469}\u200D\u{1F680}", "\u{1F469}\u200D\u{1F680}.csv"],
];

it.each(hostile)("reduces %j to %j", (given, name) => {
  expect(nameOf(given)).toBe(name);
});

it.each(["x", "é", "日", "\u{1F469}\u200D\u{1F680}", ". "])("shortens 300 times %j between characters", (text) => {
  const name = nameOf(`a${text.repeat(300)}`);
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(204);
  expect(name).toMatch(new RegExp(`^a(?:${text.replace(".", "\\.")})*\\.csv$`, "u"));
});

describe("the header", () => {
  it("has an ASCII name, and the whole one by RFC 6266 if it differs", () => {
    expect(contentDisposition("a b.csv")).toBe('attachment; filename="a b.csv"');
    expect(contentDisposition("naïve ('*') 5%20.csv")).toBe(
      "attachment; filename=\"na_ve ('*') 5_20.csv\"; filename*=UTF-8''na%C3%AFve%20%28%27%2A%27%29%205%2520.csv",
    );
  });

  const python = `import json, sys
from email.message import Message
from email.utils import collapse_rfc2231_value
def name(header):
    message = Message()
    message["content-disposition"] = header
    names = [value for key, value in message.get_params(header="content-disposition") if key == "filename"]
    return collapse_rfc2231_value(names[-1])
print(json.dumps([name(header) for header in json.load(sys.stdin)]))`;

  const hasPython = spawnSync("python3", ["--version"]).status === 0;
  const itWithPython = it.skipIf(!hasPython); // the machine lacks Python, whose library parses the header
  itWithPython("is read by a foreign parser as the name", () => {
    const names = hostile.map(([given]) => nameOf(given));
    const input = JSON.stringify(names.map(contentDisposition));
    expect(JSON.parse(execFileSync("python3", ["-c", python], { input, encoding: "utf8" }))).toEqual(names);
  });
});
