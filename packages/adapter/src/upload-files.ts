/**
 * Files that callers have uploaded, by the ids of their uploads. A file is written once, and removed when the run that
 * reads it ends.
 */
export interface UploadFiles {
  /**
   * Takes over a local file.
   * @returns false if there is a file with the id; the local file then stays
   */
  add(id: string, path: string): Promise<boolean>;
  /**
   * Provides a file at a path of this machine, as a link or a copy. Returns false if there is none.
   * @param path path of no file, in a directory of this server
   */
  fetch(id: string, path: string): Promise<boolean>;
  /** Removes a file. Does nothing if there is none. */
  remove(id: string): Promise<void>;
  /** Removes the files with ids for which `isNeeded` returns false. */
  sweep(isNeeded: (id: string) => Promise<boolean>): Promise<void>;
}
