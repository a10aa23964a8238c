import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { open, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, it } from "vitest";

/** Real file system of some megabytes, which a test can fill. */
export interface SmallDisk {
  readonly path: string;
  /** Writes until the disk has at most this many bytes left. @param bytes default 0: not a byte is left */
  fill(bytes?: number): Promise<void>;
  /** Removes what `fill` has written. */
  empty(): void;
  unmount(): void;
}

/** Adds a test that fills a disk of this size. */
export function onSmallDisk(megabytes: number, name: string, test: (disk: SmallDisk) => Promise<void>): void {
  const disk = mountSmallDisk(megabytes);
  if (disk === undefined) return void it.skip(name, () => {}); // only root may mount a file system
  afterAll(() => disk.unmount());
  it(name, () => test(disk));
}

/** Mounts an ext4 file system, or else one in memory. Returns undefined where the user may mount neither. */
function mountSmallDisk(megabytes: number): SmallDisk | undefined {
  const folder = mkdtempSync(join(tmpdir(), "quern-disk-"));
  const path = join(folder, "mounted");
  mkdirSync(path);
  if (
    !mountImage(join(folder, "image"), path, megabytes) &&
    !run("mount", "-t", "tmpfs", "-o", `size=${megabytes}m`, "none", path)
  ) {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  const filling = join(path, "filling");
  return {
    path,
    empty() {
      rmSync(filling, { force: true });
      run("sync", "--file-system", path); // ext4 can use freed blocks again once its journal is committed
    },
    async fill(bytes = 0) {
      const file = await open(filling, "a");
      try {
        const { bavail, bsize } = await statfs(path);
        let left = bytes === 0 ? Number.POSITIVE_INFINITY : bavail * bsize - bytes;
        for (const size of [1_000_000, 10_000, 100, 1])
          for (; left >= size; left -= size) if (!(await wasWritten(file.write(new Uint8Array(size))))) break;
        await file.sync(); // otherwise the next sync of the server would wait for it
      } finally {
        await file.close();
      }
    },
    unmount() {
      run("umount", "--lazy", path); // lazy, because processes may end later
      rmSync(folder, { recursive: true });
    },
  };
}

function mountImage(image: string, path: string, megabytes: number): boolean {
  writeFileSync(image, "");
  truncateSync(image, megabytes * 1_000_000);
  return run("mkfs.ext4", "-q", image) && run("mount", "-o", "loop", image, path);
}

function run(command: string, ...words: string[]): boolean {
  try {
    execFileSync(command, words, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

async function wasWritten(writing: Promise<unknown>): Promise<boolean> {
  try {
    await writing;
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOSPC") return false;
    throw error;
  }
}
