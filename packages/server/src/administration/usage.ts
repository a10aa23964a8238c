import type { UsageRecord } from "@quern/adapter";
import { inDataDirectory } from "./open-directory.ts";

/** What users have used, of one month such as `2026-11` or of all. A server that runs adds to it every second. */
export function listUsage(dataDir: string, month?: string): Promise<readonly UsageRecord[]> {
  return inDataDirectory(dataDir, ({ usage }) => usage.all(month));
}
