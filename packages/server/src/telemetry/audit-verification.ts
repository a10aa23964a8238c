import { closeSync, createReadStream, fstatSync, openSync } from "node:fs";
import { basename } from "node:path";
import { type ChainHead, emptyChain, headOf, linkOf } from "./audit-chain.ts";

/** Fault of an audit log, at a line of a file. */
export interface AuditFault {
  readonly file: string;
  /** Number of the line in its file, from 1. */
  readonly line: number;
  readonly fault: "changed" | "missing" | "moved" | "repeated";
  readonly meaning: string;
}

export interface AuditVerification {
  readonly isIntact: boolean;
  /** Names of the checked files, the oldest first. */
  readonly files: readonly string[];
  readonly lines: number;
  /** Last line; `hash` is null if there is none. Keep the hash elsewhere to detect later that lines were removed at the end. */
  readonly last: ChainHead;
  /** The first 100 faults. */
  readonly faults: readonly AuditFault[];
}

export interface AuditExpectation {
  /** Hash that one of the lines must have; undefined to check none. */
  readonly expected?: string | undefined;
  /** Hash of the last line before the first file, if older files were removed. */
  readonly after?: string | undefined;
}

/** Open audit file, of which the first `bytes` are checked. */
export interface AuditInput {
  readonly name: string;
  readonly descriptor: number;
  readonly bytes: number;
}

/** Opens audit files for {@link verifyAudit}. @throws if a file cannot be opened */
export function openAuditInputs(paths: readonly string[]): readonly AuditInput[] {
  return paths.map((path) => {
    const descriptor = openSync(path, "r");
    return { name: basename(path), descriptor, bytes: fstatSync(descriptor).size };
  });
}

const maxFaults = 100;

/** Checks that each line of the files follows the line before. Closes the files. */
export async function verifyAudit(
  inputs: readonly AuditInput[],
  { expected, after }: AuditExpectation = {},
): Promise<AuditVerification> {
  const check = createChainCheck(after);
  let lines = 0;
  let isExpectedFound = expected === undefined;
  let at = { file: "", line: 0 };
  for (const input of inputs) {
    at = { file: input.name, line: 0 };
    for await (const line of linesOf(input)) {
      at = { ...at, line: at.line + 1 };
      lines += 1;
      if (check.next(line, at).hash === expected) isExpectedFound = true;
    }
  }
  const { faults, last } = check.end();
  if (!isExpectedFound) {
    const meaning = "no line has the expected hash: the line with it was removed or changed";
    faults.push({ ...at, fault: "missing", meaning });
  }
  const files = inputs.map(({ name }) => name);
  return { isIntact: faults.length === 0, files, lines, last, faults: faults.slice(0, maxFaults) };
}

/** Reads the lines of a file, and closes it. Ignores an incomplete last line, which a crash has left. */
async function* linesOf({ descriptor, bytes }: AuditInput): AsyncGenerator<string> {
  if (bytes === 0) return closeSync(descriptor);
  let rest = "";
  for await (const chunk of createReadStream("", { fd: descriptor, start: 0, end: bytes - 1, encoding: "utf8" })) {
    const lines = `${rest}${chunk}`.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

type LinePosition = Pick<AuditFault, "file" | "line">;

/** Numbers from `first` to `last` that were not read before the line at `position`. `found` has those that came later. */
interface Gap {
  readonly first: number;
  readonly last: number;
  readonly found: Set<number>;
  readonly position: LinePosition;
}

function createChainCheck(after: string | undefined) {
  const faults: AuditFault[] = [];
  const gaps: Gap[] = [];
  let before: ChainHead = after === undefined ? emptyChain : { sequence: 0, hash: after };
  let beforeAt: LinePosition | undefined;
  let highest = 0;

  const report = (position: LinePosition, fault: AuditFault["fault"], meaning: string): void => {
    if (faults.length >= maxFaults) return; // the time for a log with many faults would grow with their square
    const isKnown = faults.some(
      (each) => each.file === position.file && each.line === position.line && each.fault === fault,
    );
    if (!isKnown) faults.push({ ...position, fault, meaning });
  };

  /** Checks a numbered line, and returns its number in the chain. */
  function checkNumbered(sequence: number, previous: string | null, position: LinePosition): number {
    const follows = previous === before.hash;
    // Removed older files may have had any number of lines.
    if (follows && beforeAt === undefined) return sequence;
    if (sequence === before.sequence + 1) {
      if (!follows) report(beforeAt ?? position, "changed", `line ${sequence} has another hash for the line before it`);
      return sequence;
    }
    if (follows) {
      report(position, "changed", `its number is ${sequence}, but it follows line ${before.sequence}`);
      return before.sequence + 1;
    }
    const gap = gaps.find(({ first, last, found }) => first <= sequence && sequence <= last && !found.has(sequence));
    gap?.found.add(sequence);
    if (gap !== undefined) report(position, "moved", `line ${sequence} follows line ${before.sequence}`);
    else if (sequence <= highest) report(position, "repeated", `line ${sequence} follows line ${before.sequence}`);
    else gaps.push({ position, first: highest + 1, last: sequence - 1, found: new Set() });
    return sequence;
  }

  return {
    /** Checks the next line, and returns its head. */
    next(line: string, position: LinePosition): ChainHead {
      const link = linkOf(line);
      let { sequence, hash } = headOf(line);
      if (link !== undefined) sequence = checkNumbered(link.sequence, link.previous, position);
      else {
        report(position, "changed", "it is not a line of an audit log");
        sequence = before.sequence + 1;
      }
      highest = Math.max(highest, sequence);
      before = { sequence, hash };
      beforeAt = position;
      return before;
    },
    end() {
      for (const { first, last, found, position } of gaps) {
        const count = last - first + 1 - found.size;
        const range = first === last ? `line ${first}` : `${count} of the lines ${first} to ${last}`;
        if (count > 0) report(position, "missing", `missing before this line: ${range}`);
      }
      return { faults, last: before };
    },
  };
}
