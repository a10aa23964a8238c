import { readFileSync } from "node:fs";
import type { Machine } from "./machine.ts";

/** Rights of setpriv that change files, which all versions of Landlock and setpriv know. */
const changes = [
  "write-file",
  "remove-file",
  "remove-dir",
  "make-reg",
  "make-dir",
  "make-sym",
  "make-fifo",
  "make-sock",
  "make-char",
  "make-block",
];
/** Rights to change files, the newest set first: a kernel or a setpriv that lacks a right refuses the set. */
const sets: readonly (readonly string[])[] = [[...changes, "refer", "truncate"], [...changes, "refer"], changes];

/**
 * Returns flags for setpriv that let a program change files only below its working directory, and execute only Node.js
 * and its dynamic linker, which can load other programs. Returns undefined if setpriv or the kernel lacks Landlock.
 * Reading is not restricted: the files that a process needs are not known when it starts.
 * @param command Setpriv and its other flags.
 */
export function landlockFlags(
  machine: Pick<Machine, "output">,
  command: readonly string[],
  cat: string,
): readonly string[] | undefined {
  const starts = (flags: readonly string[]) =>
    machine.output([...command, ...flags, "--", cat, "/proc/self/status"]) !== undefined;
  // The probe starts `cat`, which is refused where the layer works, and permitted by one more rule.
  return sets.map(flagsOf).find((flags) => !starts(flags) && starts([...flags, ...ruleOf("execute", "/")]));
}

function flagsOf(rights: readonly string[]): readonly string[] {
  const ofNull = rights.filter((right) => right === "write-file" || right === "truncate");
  return [
    "--landlock-access",
    `fs:${[...rights, "execute"]}`,
    ...ruleOf(`${rights}`, "."),
    ...ruleOf(`${ofNull}`, "/dev/null"),
    ...[process.execPath, ...dynamicLinker()].flatMap((path) => ruleOf("execute", path)),
  ];
}

function ruleOf(rights: string, path: string): readonly string[] {
  return ["--landlock-rule", `path-beneath:${rights}:${path}`];
}

/** Returns the path of the program that loads Node.js and its libraries; none if Node.js is linked statically. */
function dynamicLinker(): readonly string[] {
  try {
    return (
      readFileSync("/proc/self/maps", "utf8")
        .match(/\/\S*\/ld-\S+\.so\S*/)
        ?.slice(0, 1) ?? []
    );
  } catch {
    return []; // no /proc, and then no Landlock
  }
}
