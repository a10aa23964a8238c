import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { CLI, type Service, startService } from "../service.ts";

/** Name of the data source of the benchmark. */
export const DATA_SOURCE = "bench";

/** Starts the service with one data source, which `quern sources add` adds while it runs. */
export async function startSourcedService(address: string, flags: readonly string[] = []): Promise<Service> {
  const service = await startService();
  const args = ["sources", "add", DATA_SOURCE, address, ...flags, "--data-dir", join(service.folder, "data")];
  await promisify(execFile)(process.execPath, [CLI, ...args]);
  return service;
}
