import { join } from "node:path";
import { createDownloads, createResultReader, createResultWriter } from "@quern/duckdb";
import { openServiceResults } from "./adapters/results.ts";
import type { Closers } from "./common/closers.ts";
import type { Log } from "./common/log.ts";
import type { ServerOptions } from "./configuration/options.ts";
import { createDiskGuard } from "./disk/disk-space.ts";
import type { Reserve } from "./disk/reserve.ts";
import { createLinkSigner, linkSecret } from "./downloads/link.ts";
import { keepSmallResults } from "./results/small-results.ts";
import { underLock } from "./scheduler/leadership.ts";
import type { ServiceSources } from "./service-sources.ts";
import type { ServiceStore } from "./service-store.ts";
import { createUploadFiles } from "./uploads/upload-files.ts";
import type { LinkedUpload } from "./uploads/upload-route.ts";
import { createUploads } from "./uploads/uploads.ts";

/**
 * Maximum number of downloads at the same time. The process of each has a memory limit, so the number bounds their
 * memory.
 */
const maxDownloads = 8;

/** Parts of a service that write, keep and read results. */
export type ServiceResults = Awaited<ReturnType<typeof openResults>>;

/** Opens the result store, and the processes that write and read them. @throws if the result store cannot be used */
export async function openResults(
  options: ServerOptions,
  { directory, limits, userIds, memory }: ServiceSources,
  { store, owner }: ServiceStore,
  { reserve, log, closers }: { reserve: Reserve; log: Log; closers: Closers },
) {
  const disk = createDiskGuard({
    folder: directory.path,
    log,
    maxDiskShare: limits.maxDiskShare,
    reserve,
    checkedMs: 100,
  });
  const processes = { workDirectory: directory.work, spillMegabytes: limits.spillMegabytes, userIds, memory };
  const reader = createResultReader({
    ...processes,
    priority: options.priority,
    filteredPageTimeoutSeconds: limits.filteredPageTimeoutSeconds,
    copyDirectory: directory.cache,
    // Sorted copies of all results together may use as much disk space as one result.
    maxCopyBytes: limits.maxResultBytes,
    hasSpace: disk.hasSpace,
  });
  closers.push(() => reader.close());
  // The first server that starts on a new store decides which bucket has the results.
  const forOtherUsers = userIds !== undefined;
  const files = await underLock(store.leases, "results", owner, () =>
    openServiceResults(options, directory, forOtherUsers, store.settings),
  );
  closers.push(() => files.close());
  const writer = createResultWriter(processes);
  closers.push(() => writer.close());
  const small = { directory: join(directory.work, "small-results"), writer, forOtherUsers };
  const resultStore = await keepSmallResults(files, small);
  const downloads = createDownloads({ ...processes, maxDownloads });
  closers.push(() => downloads.close());
  const secret = () => linkSecret(store.settings);
  const links = createLinkSigner(secret);
  const uploadLinks = createLinkSigner<LinkedUpload>(secret, "upload");
  const uploads = await createUploads({
    store,
    // Servers that share a store read the uploads of each other.
    files: store.isShared ? files.uploads : await createUploadFiles(directory.uploads),
    workDirectory: directory.work,
    log,
  });
  return { disk, reader, resultStore, downloads, links, uploadLinks, uploads, writer };
}
