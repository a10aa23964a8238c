import { closeSync, openSync } from "node:fs";

/**
 * Opens a file or folder while it is used, and closes it after that.
 * @param flags Flags of `open`, such as `O_NOFOLLOW`. @default "r"
 * @param use called with the descriptor
 */
export function withOpened<T>(path: string, use: (descriptor: number) => T, flags: string | number = "r"): T {
  const descriptor = openSync(path, flags);
  try {
    return use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
