import {
  adoptResults,
  checkedIdentity,
  nextIdentity,
  type ResultIdentity,
  resultAddress,
} from "../adapters/result-identity.ts";
import { settingPlace } from "../adapters/storage-options.ts";
import { type Closers, closeAll } from "../common/closers.ts";
import { AdministrationError, type ServiceLocation } from "./open-directory.ts";
import {
  addressOf,
  lockDirectories,
  nameOf,
  openPlace,
  openResultPlace,
  placesOf,
  refuseServers,
  workDirectory,
} from "./service-places.ts";

/**
 * Gives up the results of a service whose bucket is lost. Claims the empty bucket of its settings, or uses its data
 * directory; no server starts with the bucket before. Runs stay, and lost results expire when a caller reads them. No
 * server may use the store.
 * @returns the place of the results
 * @throws {AdministrationError} if the results are not lost, the bucket is not empty, or a server uses the store
 */
export async function abandonResults(source: ServiceLocation): Promise<string> {
  const from = typeof source === "string" ? { dataDir: source } : source;
  const places = placesOf(from);
  const place = places.sourceResults;
  const address = addressOf(place);
  const opened: Closers = [];
  try {
    const directories = lockDirectories(places, opened, false);
    const work = await workDirectory(directories, opened);
    const store = await openPlace(places.sourceStore, from, opened);
    await refuseServers([[store, places.sourceStore]]);
    if (address === undefined && (await resultAddress(store.settings)) === undefined)
      throw new AdministrationError(`the results are in ${nameOf(place)}; nothing was changed`);
    const open = (identity: ResultIdentity) => openResultPlace(place, { work, identity, names: settingPlace }, opened);
    if (address !== undefined) {
      // Succeeds only if the bucket has the object `quern.json` of this service.
      const previousUrl = address;
      const known = await open({ ...(await checkedIdentity(store.settings)), previousUrl }).catch(() => undefined);
      if (known !== undefined)
        throw new AdministrationError(`${nameOf(place)} has the results of this service; nothing was changed`);
      await open(await nextIdentity(store.settings));
    }
    await adoptResults(store.settings, address);
    return nameOf(place);
  } finally {
    await closeAll(opened);
  }
}
