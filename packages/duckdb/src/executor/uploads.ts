import type { UploadedTable } from "@quern/adapter";
import type { ChildDirectory } from "../processes/child-directory.ts";

/** Lets a process read files of its caller. Returns them under the paths that the process has for them. */
export function lendUploads(directory: ChildDirectory, uploads: readonly UploadedTable[]): readonly UploadedTable[] {
  return uploads.map(({ path, ...upload }, index) => ({
    ...upload,
    // A name of the service, because the engine reads patterns and options in names.
    path: directory.lend(path, `upload-${index}.${upload.format}`),
  }));
}
