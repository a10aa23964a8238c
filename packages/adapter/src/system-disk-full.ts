/** Returns true for an error of the operating system that the disk is full. */
export function isSystemDiskFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT");
}
