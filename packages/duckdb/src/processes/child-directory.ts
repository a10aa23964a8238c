import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  linkSync,
  lstatSync,
  renameSync,
  rmSync,
} from "node:fs";
import { chmod, chown, lchown, mkdir, rm } from "node:fs/promises";
import { join, parse, resolve } from "node:path";
import { linkFile } from "./link-file.ts";
import { withOpened } from "./opened-file.ts";
import type { LeasedUserId, UserIds } from "./user-ids.ts";

/**
 * Path of the working directory of a child, for the child itself. On Linux it is a link of the kernel, so that a
 * process reaches its directory although it has no access to the directories above it.
 */
export const ownDirectory = process.platform === "linux" ? "/proc/self/cwd" : ".";

/** Paths by which the engine names the working directory of this process in its messages. */
export const ownDirectoryNames =
  process.platform === "linux" ? [ownDirectory, `/proc/${process.pid}/cwd`] : [process.cwd()];

/** Folder with hard links to files of the service. Its files do not count as files of the process. */
export const sharedFolder = "shared";

/** File of the service that a process can read. */
interface SharedFile {
  /** Path under which the process finds the file. */
  readonly path: string;
  /** Ends the use of the file. It stays while another use of the same name lasts, at most until the process ends. */
  release(): void;
}

/** Working directory of one child process, and the user id under which the process runs. */
export interface ChildDirectory {
  readonly path: string;
  /** Path of the directory for the process itself. */
  readonly ownPath: string;
  /** Undefined if the process has the user of the service. */
  readonly userId: number | undefined;
  /**
   * Lets the process read a file. A process with another user gets a hard link, whose file must be readable for all
   * users; the directories above it may be closed. A file on another file system keeps its path.
   * @param name Name of the link, if the name matters. One name always stands for the same file.
   */
  share(file: string, name?: string): SharedFile;
  /**
   * Lets this process alone read a file that is private to the user of the service, until the directory is removed.
   * Returns the path for the process, which cannot change the file.
   */
  lend(file: string, name: string): string;
  /** Makes a file that the service has written into the directory a file of the process. @param file Relative path. */
  give(file: string): Promise<void>;
  /**
   * Moves a file that the process has written, out of its reach if the process has another user. Returns the path.
   * @param file Path relative to the directory.
   * @throws {Error} if a process with another user has replaced the file or its folder, such as by a link
   */
  take(file: string): Promise<string>;
  /** Removes the directory, and gives the user id back. The process must have ended. */
  remove(): Promise<void>;
}

/** Creates the working directory of a process. @param userIds Ids for the process. @default the user of the service */
export async function createChildDirectory(path: string, userIds?: UserIds): Promise<ChildDirectory> {
  if (userIds === undefined) return sameUserDirectory(path);
  const lease = await userIds.lease();
  try {
    return await otherUserDirectory(path, lease);
  } catch (error) {
    await lease.release();
    throw error;
  }
}

async function sameUserDirectory(path: string): Promise<ChildDirectory> {
  const shared = join(path, sharedFolder);
  await mkdir(shared, { recursive: true });
  return {
    path,
    ownPath: path,
    userId: undefined,
    share: (file) => ({ path: file, release: () => {} }),
    lend(file, name) {
      linkFile(file, join(shared, name));
      chmodSync(join(shared, name), 0o400);
      return join(ownDirectory, sharedFolder, name);
    },
    give: async () => {},
    async take(file) {
      const target = takenPath(shared, file);
      renameSync(join(path, file), target);
      return target;
    },
    remove: () => rm(path, { recursive: true, force: true }),
  };
}

/**
 * The process can create files in its directory. It can neither remove nor replace files of the service there, because
 * the directory belongs to the service and is sticky, and it reaches no other directory of the service.
 */
async function otherUserDirectory(path: string, lease: LeasedUserId): Promise<ChildDirectory> {
  const { id } = lease;
  const shared = join(path, sharedFolder);
  /** Number of uses of each link. */
  const uses = new Map<string, number>();
  await mkdir(shared, { recursive: true });
  await chmod(shared, 0o755);
  await chown(path, -1, id);
  await chmod(path, 0o1770);
  return {
    path,
    ownPath: ownDirectory,
    userId: id,
    share(file, name = linkName(file)) {
      const used = uses.get(name) ?? 0;
      if (used === 0 && !canLink(file, join(shared, name))) return { path: file, release: () => {} };
      uses.set(name, used + 1);
      const release = (): void => {
        const left = (uses.get(name) ?? 1) - 1;
        uses.set(name, left);
        if (left === 0) rmSync(join(shared, name), { force: true }); // synchronous, so that no new use meets the old link
      };
      return { path: join(ownDirectory, sharedFolder, name), release };
    },
    lend(file, name) {
      const lent = join(shared, name);
      linkFile(file, lent);
      // The group of the process has the number of its user.
      chownSync(lent, -1, id);
      chmodSync(lent, 0o440);
      return join(ownDirectory, sharedFolder, name);
    },
    give: (file) => lchown(join(path, file), id, id),
    take: async (file) => takeFile(path, file, id),
    async remove() {
      await lease.killProcesses(); // one that has survived could still create files
      await rm(path, { recursive: true, force: true });
      await lease.release();
    },
  };
}

function linkName(file: string): string {
  return createHash("sha256").update(resolve(file)).digest("hex");
}

/**
 * Creates a hard link, in place of one that an earlier process has left. Returns false if the file system cannot. A
 * missing file gets no link, and reading it fails.
 */
function canLink(file: string, path: string): boolean {
  rmSync(path, { force: true });
  try {
    linkSync(file, path);
    return true;
  } catch (error) {
    return isCode(error, "ENOENT");
  }
}

/**
 * Takes a file from a directory in which a hostile process can replace files by links. The service opens each folder
 * without following links and stays in it, and checks that the moved file is the one that it has opened. It is
 * synchronous, because each switch to another thread would take longer than the calls, which move no data.
 */
function takeFile(directory: string, file: string, userId: number): string {
  const { dir: folder, base: name } = parse(file);
  const target = takenPath(join(directory, sharedFolder), file);
  const take = (parent: number, descriptor: number): string => {
    const found = fstatSync(descriptor);
    if (!found.isFile() || found.uid !== userId || found.nlink !== 1) throw notOwnFile(file);
    fchownSync(descriptor, process.geteuid?.() ?? 0, process.getegid?.() ?? 0);
    fchmodSync(descriptor, 0o644); // processes of other users read it; the directories above keep everyone else from it
    renameSync(`/proc/self/fd/${parent}/${name}`, target);
    const moved = lstatSync(target);
    if (moved.dev === found.dev && moved.ino === found.ino) return target;
    rmSync(target, { force: true, recursive: true });
    throw notOwnFile(file);
  };
  const unlinked = constants.O_RDONLY | constants.O_NOFOLLOW;
  const inFolder = (parent: number): string =>
    // A pipe must not block the service.
    withOpened(`/proc/self/fd/${parent}/${name}`, (opened) => take(parent, opened), unlinked | constants.O_NONBLOCK);
  return withOpened(join(directory, folder), inFolder, unlinked | constants.O_DIRECTORY);
}

function takenPath(shared: string, file: string): string {
  return join(shared, `${parse(file).base}.taken`);
}

function notOwnFile(file: string): Error {
  return new Error(
    `Invalid file of a process: ${file} is not a regular file, is a link, belongs to another user, or was replaced.`,
  );
}

function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.some((code) => code === error.code);
}
