import { readdirSync, readFileSync } from "node:fs";

/** Programs of the benchmark: the callers are this process. `engine` are the processes that a server has started. */
export type Program = "callers" | "server" | "engine" | "PostgreSQL" | "storage";

/** Processes of one program. */
export interface Usage {
  readonly count: number;
  /** Processor time since their start, in milliseconds, with that of children which have ended. */
  readonly processorMs: number;
  readonly residentMegabytes: number;
}

/** Milliseconds of one tick of the processor times in `/proc`. */
const tickMs = 10;
const pageBytes = 4_096;
const none: Usage = { count: 0, processorMs: 0, residentMegabytes: 0 };

interface Process {
  readonly id: number;
  readonly name: string;
  readonly parent: number;
  readonly ownMs: number;
  readonly endedChildrenMs: number;
  readonly residentMegabytes: number;
}

/** Measures this process and those below it, by program. Returns nothing on systems without `/proc`. */
export function programs(): ReadonlyMap<Program, Usage> {
  if (process.platform !== "linux") return new Map();
  const all = new Map(
    readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .flatMap(processOf)
      .map((each) => [each.id, each]),
  );
  const usages = new Map<Program, Usage>();
  const add = (program: Program, more: Usage): void => {
    const { count, processorMs, residentMegabytes } = usages.get(program) ?? none;
    usages.set(program, {
      count: count + more.count,
      processorMs: processorMs + more.processorMs,
      residentMegabytes: residentMegabytes + more.residentMegabytes,
    });
  };
  for (const each of all.values()) {
    const program = programOf(each, all);
    if (program === undefined) continue;
    add(program, { count: 1, processorMs: each.ownMs, residentMegabytes: each.residentMegabytes });
    // The children of a server are processes of engines, and those of PostgreSQL are its own.
    const ofChildren = program === "server" ? "engine" : program;
    if (program !== "callers") add(ofChildren, { ...none, processorMs: each.endedChildrenMs });
  }
  return usages;
}

/** Returns the processor time of a program between two measurements, in milliseconds. */
export function processorMsOf(
  program: Program,
  before: ReadonlyMap<Program, Usage>,
  after: ReadonlyMap<Program, Usage>,
): number {
  return (after.get(program)?.processorMs ?? 0) - (before.get(program)?.processorMs ?? 0);
}

function programOf(each: Process, all: ReadonlyMap<number, Process>): Program | undefined {
  if (each.id === process.pid) return "callers";
  let depth = 1;
  for (let { parent } = each; parent !== process.pid; parent = all.get(parent)?.parent ?? 0, depth += 1)
    if (parent === 0) return undefined;
  if (each.name === "postgres") return "PostgreSQL";
  if (each.name === "versitygw") return "storage";
  return depth === 1 ? "server" : "engine";
}

/** Reads a process; nothing if it has ended meanwhile. */
function processOf(name: string): readonly Process[] {
  let text: string;
  try {
    text = readFileSync(`/proc/${name}/stat`, "utf8");
  } catch {
    return [];
  }
  // The name is in parentheses and may contain spaces.
  const end = text.lastIndexOf(")");
  const fields = text.slice(end + 2).split(" ");
  const field = (index: number): number => Number(fields[index - 3]); // numbered as in `man proc_pid_stat`
  return [
    {
      id: Number(name),
      name: text.slice(text.indexOf("(") + 1, end),
      parent: field(4),
      ownMs: (field(14) + field(15)) * tickMs,
      endedChildrenMs: (field(16) + field(17)) * tickMs,
      residentMegabytes: (field(24) * pageBytes) / 1e6,
    },
  ];
}
