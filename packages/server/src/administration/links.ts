import { revokeLinks as revokeIn } from "../downloads/link-secret.ts";
import { inDataDirectory } from "./open-directory.ts";

/** Ends all links to results that were given out, at once, also on a server that runs. @throws {AdministrationError} */
export function revokeLinks(dataDir: string): Promise<void> {
  return inDataDirectory(dataDir, async ({ settings, audit }) => {
    await revokeIn(settings);
    audit({ action: "links.revoke", tenantId: null, userId: null });
  });
}
