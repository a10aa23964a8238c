/** Primary result code SQLITE_BUSY. */
const sqliteBusy = 5;

/** Returns true for the error of SQLite that another connection has the lock. */
export function isBusy(error: unknown): boolean {
  // The lowest byte of an extended result code is its primary code.
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === sqliteBusy;
}
