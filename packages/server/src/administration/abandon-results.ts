import {
  adoptResults,
  checkedIdentity,
  nextIdentity,
  type ResultIdentity,
  resultAddress,
} from "../adapters/result-identity.ts";
import { settingNames } from "../adapters/storage-options.ts";
import { type Closers, closeAll } from "../common/closers.ts";
import { AdministrationError, type ServiceLocation } from "./open-directory.ts";
import {
  addressOf,
  locationsOf,
  lockDirectories,
  nameOf,
  openResultsAt,
  openStoreAt,
  refuseServers,
  workDirectory,
} from "./storage-locations.ts";

/**
 * Gives up the results of a service whose bucket is lost. Claims the empty bucket of its settings, or uses its data
 * directory; no server starts with the bucket before. Runs stay, and lost results expire when a caller reads them. No
 * server may use the store.
 * @returns the location of the results
 * @throws {AdministrationError} if the results are not lost, the bucket is not empty, or a server uses the store
 */
export async function abandonResults(source: ServiceLocation): Promise<string> {
  const from = typeof source === "string" ? { dataDir: source } : source;
  const locations = locationsOf(from);
  const location = locations.sourceResults;
  const address = addressOf(location);
  const opened: Closers = [];
  try {
    const directories = lockDirectories(locations, opened, false);
    const work = await workDirectory(directories, opened);
    const store = await openStoreAt(locations.sourceStore, from, opened);
    await refuseServers([[store, locations.sourceStore]]);
    if (address === undefined && (await resultAddress(store.settings)) === undefined)
      throw new AdministrationError(`the results are in ${nameOf(location)}; nothing was changed`);
    const open = (identity: ResultIdentity) => openResultsAt(location, { work, identity, names: settingNames }, opened);
    if (address !== undefined) {
      // Succeeds only if the bucket has the object `quern.json` of this service.
      const previousUrl = address;
      const known = await open({ ...(await checkedIdentity(store.settings)), previousUrl }).catch(() => undefined);
      if (known !== undefined)
        throw new AdministrationError(`${nameOf(location)} has the results of this service; nothing was changed`);
      await open(await nextIdentity(store.settings));
    }
    await adoptResults(store.settings, address);
    return nameOf(location);
  } finally {
    await closeAll(opened);
  }
}
