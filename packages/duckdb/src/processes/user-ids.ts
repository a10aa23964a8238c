import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:net";

/** First and last id of a range, both included. */
export interface UserIdRange {
  readonly first: number;
  readonly last: number;
}

/** User id that one process has until it is released. */
export interface LeasedUserId {
  readonly id: number;
  /** Kills the processes that still have the id. Returns true once there are none. */
  killProcesses(): Promise<boolean>;
  /** Kills the processes that still have the id. Then another process can have it, unless one has survived. */
  release(): Promise<void>;
}

/**
 * User ids for child processes. No two processes of the services in one network namespace have the same id at the same
 * time.
 */
export interface UserIds {
  /** @throws {Error} if all ids are in use */
  lease(): Promise<LeasedUserId>;
}

/** Number of times that the processes of an id are searched: a process can start another one before it is killed. */
const maxKillRounds = 20;

/** Parses a range such as `90000-90255`. @throws {Error} if the text is no range, or the range has the id of root */
export function parseUserIds(text: string): UserIdRange {
  const [, first, last] = /^(\d{1,10})-(\d{1,10})$/.exec(text)?.map(Number) ?? [];
  // The kernel reserves the largest id of 32 bits.
  if (first === undefined || last === undefined || first < 1 || last < first || last > 0xff_ff_ff_fe)
    throw new Error(`Invalid range of user ids: ${text}; expected <first>-<last> above 0, such as 90000-90255.`);
  return { first, last };
}

/** Opens the ids of a range. An id that a process of the machine has at this time is never leased. */
export async function openUserIds(range: UserIdRange): Promise<UserIds> {
  const inUse = new Set((await runningProcesses()).map(({ userId }) => userId));

  return {
    async lease() {
      for (let id = range.first; id <= range.last; id += 1) {
        if (inUse.has(id)) continue;
        inUse.add(id);
        const unlock = await lock(id);
        if (unlock !== undefined)
          return { id, killProcesses: () => killProcessesOf(id), release: () => release(id, unlock) };
        inUse.delete(id); // another service has it
      }
      throw new Error(
        `No free user id: all of ${range.first}-${range.last} are in use; enlarge the range in the setting processUids.`,
      );
    },
  };

  async function release(id: number, unlock: () => void): Promise<void> {
    const areGone = await killProcessesOf(id);
    if (!areGone) return;
    unlock();
    inUse.delete(id);
  }
}

/**
 * Locks an id among the services in this network namespace. The lock is a socket with a name, which the kernel removes
 * when this process ends for any reason. Returns undefined if another service has it.
 */
async function lock(id: number): Promise<(() => void) | undefined> {
  const socket = createServer().unref();
  try {
    socket.listen({ path: `\0quern-user-${id}` });
    await once(socket, "listening");
    return () => void socket.close();
  } catch {
    return undefined;
  }
}

/** Kills all processes of a user. Returns true once there are none. */
async function killProcessesOf(userId: number): Promise<boolean> {
  for (let round = 0; round < maxKillRounds; round += 1) {
    const own = (await runningProcesses()).filter((process) => process.userId === userId);
    if (own.length === 0) return true;
    for (const { pid } of own) kill(pid);
  }
  return false;
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has just ended.
  }
}

interface RunningProcess {
  readonly pid: number;
  readonly userId: number;
}

/**
 * Lists the processes of the machine that have not ended. Their status has the user id of each, whereas the files of a
 * process that hides its memory belong to root.
 */
async function runningProcesses(): Promise<readonly RunningProcess[]> {
  const names = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const texts = await Promise.all(
    names.map((name) => readFile(`/proc/${name}/status`, "utf8").catch(() => "")), // a process that has ended
  );
  return texts.flatMap((text, index) => {
    const userId = /^Uid:\s+(\d+)/m.exec(text)?.[1];
    const hasEnded = /^State:\s+[ZX]/m.test(text); // its parent has not read the exit code
    return userId === undefined || hasEnded ? [] : [{ pid: Number(names[index]), userId: Number(userId) }];
  });
}
