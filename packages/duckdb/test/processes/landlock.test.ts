import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { landlockFlags } from "../../src/processes/landlock.ts";

const changes =
  "write-file,remove-file,remove-dir,make-reg,make-dir,make-sym,make-fifo,make-sock,make-char,make-block".split(",");
const cat = ["--", "/bin/cat", "/proc/self/status"];

/** Returns flags of setpriv for a set of rights, and for those of the null device. */
function flagsFor(rights: readonly string[], ofNull: string): string[] {
  const linkers =
    process.platform === "linux" ? [/\/\S*\/ld-\S+\.so\S*/.exec(readFileSync("/proc/self/maps", "utf8"))] : [];
  const programs = [process.execPath, ...linkers.flatMap((found) => found?.[0] ?? [])];
  const rules = [`${rights}:.`, `${ofNull}:/dev/null`, ...programs.map((path) => `execute:${path}`)];
  return [
    "--landlock-access",
    `fs:${rights},execute`,
    ...rules.flatMap((rule) => ["--landlock-rule", `path-beneath:${rule}`]),
  ];
}

/** Returns the flags that are found, and the command lines that are tried. */
function probe(starts: (words: string) => boolean) {
  const tried: (readonly string[])[] = [];
  const output = (words: readonly string[]) => {
    tried.push(words);
    return starts(words.join(" ")) ? "" : undefined;
  };
  return { flags: landlockFlags({ output }, ["setpriv", "-x"], "/bin/cat"), tried };
}
const open = ["--landlock-rule", "path-beneath:execute:/"];

it("tries the newest set of rights first, without and with the right to execute all programs", () => {
  const flags = flagsFor([...changes, "refer", "truncate"], "write-file,truncate");
  expect(probe((words) => words.includes("execute:/ "))).toEqual({
    flags,
    tried: [
      ["setpriv", "-x", ...flags, ...cat],
      ["setpriv", "-x", ...flags, ...open, ...cat],
    ],
  });
});

it("tries older sets of rights on an older kernel", () => {
  const isOpen = (words: string) => words.includes("execute:/ ");
  expect(probe((words) => isOpen(words) && !words.includes("truncate")).flags).toEqual(
    flagsFor([...changes, "refer"], "write-file"),
  );
  expect(probe((words) => isOpen(words) && !words.includes("refer")).flags).toEqual(flagsFor(changes, "write-file"));
});

it("finds none if the program starts with them, or does not start without them", () => {
  expect(probe(() => true)).toMatchObject({ flags: undefined, tried: { length: 3 } });
  expect(probe(() => false)).toMatchObject({ flags: undefined, tried: { length: 6 } });
});
