import { readdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isSystemDiskFull } from "@quern/adapter";
import type { Child } from "./child.ts";
import { type ChildDirectory, createChildDirectory } from "./child-directory.ts";
import { createSpareDirectories } from "./spare-directories.ts";
import type { UserIds } from "./user-ids.ts";
import { residentBytes } from "./watchdogs.ts";

/** Limits of idle processes and of reuse. */
export interface ProcessPoolLimits {
  /** Longest time that a process stays idle, in milliseconds. */
  readonly maxIdleMs: number;
  /** Largest number of idle processes of all owners together. The process that has been idle longest ends first. */
  readonly maxIdle: number;
  /** Largest number of idle processes of one owner. @default as many as of all owners */
  readonly maxIdleOfOwner?: number;
  /** Largest resident memory of an idle process, in bytes. Not checked on systems that do not report it. */
  readonly maxIdleBytes: number;
  /** Largest number of times that one process is acquired. */
  readonly maxUses: number;
  /** Age from which a process is not kept, in milliseconds since its first use. @default no limit */
  readonly maxAgeMs?: number;
}

export interface ProcessPoolOptions extends ProcessPoolLimits {
  /** Parent directory of the directories of the processes. */
  readonly workDirectory: string;
  /** Start of the names of the directories. No other pool of the same work directory has it. */
  readonly name: string;
  readonly start: (directory: ChildDirectory) => Child;
  /** User ids of the processes. @default the user of the service for all */
  readonly userIds?: UserIds | undefined;
  /** Processes that are started before they are needed. They have no owner until their first use. @default 0 */
  readonly warmProcesses?: number;
  /** Directories that are created in advance, so that as many processes can start while the disk is full. @default 0 */
  readonly spareDirectories?: number;
}

/** Process that one owner uses alone until it is released. */
export interface PooledProcess {
  readonly child: Child;
  /** Stays until the process is released, also if the process ends before. */
  readonly directory: ChildDirectory;
  /**
   * Gives the process back. Resolves when the process is idle, or has ended and its directory is removed.
   * @param isReusable False kills the process. Pass it if the last task may have left the process unusable or changed.
   */
  release(isReusable: boolean): Promise<void>;
}

/** Pool of child processes. A process is reused by its first owner only, so that no data crosses owners. */
export interface ProcessPool {
  /**
   * Returns an idle process of the owner, or a new process.
   * @param revision Version of the data that the process holds. Idle processes of the owner with another revision end.
   */
  acquire(owner: string, revision?: string): Promise<PooledProcess>;
  /** Ends the idle processes now, and the others when they are released. */
  close(): Promise<void>;
}

interface Entry {
  readonly child: Child;
  readonly directory: ChildDirectory;
  /** Resolves when the process has ended, is released, and its directory is removed. */
  readonly removed: Promise<void>;
  /** Resolves when the process is not acquired: its directory can hold a result that outlives the process. */
  released: Promise<void>;
  uses: number;
  /** Time of the first use, on the clock of `performance.now()`. */
  usedSince: number;
  /** Undefined for a warm process. */
  owner?: string;
  revision?: string;
  timer?: NodeJS.Timeout;
}

/** Creates a pool, and starts its warm processes. */
export function createProcessPool(options: ProcessPoolOptions): ProcessPool {
  const { maxIdleMs, maxIdle, maxIdleOfOwner = maxIdle, start, warmProcesses = 0 } = options;
  const { maxIdleBytes, maxUses, maxAgeMs = Number.POSITIVE_INFINITY } = options;
  const prefix = `${options.name}-${process.pid}-`;
  const workDirectory = resolve(options.workDirectory); // a process has another working directory
  const sparePrefix = join(workDirectory, `${options.name}-spare-${process.pid}-`);
  const spares = createSpareDirectories(sparePrefix, options.spareDirectories ?? 0);
  /** In the order in which they became idle. */
  const idle = new Set<Entry>();
  /** Processes without an owner, in the order of their start. */
  const warm: Promise<Entry>[] = [];
  /** Names of directories that must not be removed. */
  const inUse = new Set<string>();
  let started = 0;
  let isClosed = false;

  async function startProcess(): Promise<Entry> {
    started += 1;
    const name = `${prefix}${started}`;
    inUse.add(name);
    const directory = await createDirectory(join(workDirectory, name)).catch((error: unknown) => {
      inUse.delete(name);
      throw error;
    });
    const child = start(directory);
    const removed = child.ended.then(async () => {
      removeIdle(entry);
      await entry.released;
      inUse.delete(name);
      // A directory that cannot be removed keeps its user id, and is removed later.
      await directory.remove().catch(() => {});
      return removeUnused();
    });
    const entry: Entry = { child, directory, removed, released: Promise.resolve(), uses: 0, usedSince: 0 };
    if (isClosed) await end(entry);
    return entry;
  }

  async function createDirectory(path: string): Promise<ChildDirectory> {
    try {
      return await createChildDirectory(path, options.userIds);
    } catch (error) {
      if (!isSystemDiskFull(error) || !(await spares.moveTo(path))) throw error;
      return createChildDirectory(path, options.userIds);
    }
  }

  /**
   * Removes directories of ended processes, also those whose removal failed before because of a full disk or an open
   * file.
   */
  async function removeUnused(): Promise<void> {
    const names = await readdir(workDirectory).catch(() => []);
    const unused = names.filter((name) => name.startsWith(prefix) && !inUse.has(name));
    await Promise.allSettled(unused.map((name) => rm(join(workDirectory, name), { recursive: true, force: true })));
    await spares.refill();
  }

  function startWarm(): void {
    while (!isClosed && warm.length < warmProcesses) {
      const entry = startProcess();
      entry.catch(() => {}); // `takeWarm` rejects with the same error
      warm.push(entry);
    }
  }

  /** Returns a warm process that has not ended, or a new one. */
  async function takeWarm(): Promise<Entry> {
    const next = warm.shift();
    if (next === undefined) return startProcess();
    const entry = await next;
    return entry.child.hasEnded ? takeWarm() : entry;
  }

  async function assignTo(owner: string, revision: string): Promise<Entry> {
    return Object.assign(await takeWarm(), { owner, revision, usedSince: performance.now() });
  }

  /** Returns the process that the owner released last, so that the others reach their idle limit. */
  function takeIdle(owner: string, revision: string): Entry | undefined {
    const own = idleOf(owner);
    for (const entry of own) if (entry.revision !== revision) void end(entry);
    const found = own.findLast((entry) => entry.revision === revision && !entry.child.hasEnded);
    if (found !== undefined) removeIdle(found);
    return found;
  }

  function idleOf(owner: string | undefined): readonly Entry[] {
    return [...idle].filter((entry) => entry.owner === owner);
  }

  function removeIdle(entry: Entry): void {
    clearTimeout(entry.timer);
    idle.delete(entry);
  }

  async function end(entry: Entry): Promise<void> {
    removeIdle(entry);
    entry.child.kill();
    await entry.removed;
  }

  function canStay({ child, uses, usedSince }: Entry): boolean {
    const isWorn = uses >= maxUses || performance.now() - usedSince >= maxAgeMs;
    return !isClosed && !child.hasEnded && !isWorn && (residentBytes(child.pid) ?? 0) <= maxIdleBytes;
  }

  async function addIdle(entry: Entry): Promise<void> {
    entry.timer = setTimeout(() => void end(entry), maxIdleMs).unref();
    idle.add(entry);
    const own = idleOf(entry.owner);
    const excess = own.length > maxIdleOfOwner ? own : idle.size > maxIdle ? idle : [];
    const [oldest] = excess;
    if (oldest !== undefined) await end(oldest);
  }

  startWarm();
  void spares.refill();
  return {
    async acquire(owner, revision = "") {
      const entry = takeIdle(owner, revision) ?? (await assignTo(owner, revision));
      startWarm();
      entry.uses += 1;
      const { child, directory } = entry;
      let setReleased = (): void => {};
      entry.released = new Promise((resolve) => {
        setReleased = resolve;
      });
      return {
        child,
        directory,
        release(isReusable) {
          setReleased();
          return isReusable && canStay(entry) ? addIdle(entry) : end(entry);
        },
      };
    },
    async close() {
      isClosed = true;
      const started = await Promise.allSettled(warm);
      const unused = started.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
      await Promise.all([...idle, ...unused].map(end));
      await spares.close();
    },
  };
}
