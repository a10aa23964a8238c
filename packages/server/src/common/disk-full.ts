import { isSystemDiskFull } from "@quern/adapter";

/** Primary result code SQLITE_FULL. */
const sqliteFull = 13;

/** Extended result code SQLITE_IOERR_SHMSIZE: SQLite could not enlarge the index of the write-ahead log. */
const sqliteIndexNotEnlarged = (19 << 8) | 10;

/** Returns true for an error of SQLite or of the operating system that the disk is full. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error && "errcode" in error)) return isSystemDiskFull(error);
  const code = Number(error.errcode);
  return (code & 0xff) === sqliteFull || code === sqliteIndexNotEnlarged;
}
