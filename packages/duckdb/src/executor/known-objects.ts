import type { Database } from "../sources/held-data.ts";
import { noObjects, type SourceObjects } from "./source-objects.ts";

/**
 * Views and macros of data sources. Listing them takes ten times as long as a small statement, so it is done once for each user
 * and revision.
 */
export interface KnownObjects {
  /**
   * Returns the views and macros of a source.
   * @param isFirstTask true if the process has run no statement. The lists of others hold for one statement only, because a
   *   statement that has broken out of the engine could forge them.
   * @param list lists them in a process of the source
   */
  of(
    data: { readonly databases: readonly Database[]; readonly owner: string; readonly revision: string },
    isFirstTask: boolean,
    list: () => Promise<unknown>,
  ): Promise<SourceObjects>;
}

/** Lists that are kept. */
const maxLists = 1_000;

export function createKnownObjects(): KnownObjects {
  const known = new Map<string, SourceObjects>();
  return {
    async of({ databases, owner, revision }, isFirstTask, list) {
      if (databases.length === 0) return noObjects;
      // Without the databases, whose paths are links that change while the revision stays.
      const key = JSON.stringify([owner, revision]);
      const found = known.get(key);
      if (found !== undefined) return found;
      const objects = (await list()) as SourceObjects; // sent by `statement-serving.ts`
      if (!isFirstTask) return objects;
      const [oldest] = known.keys();
      if (oldest !== undefined && known.size >= maxLists) known.delete(oldest);
      known.set(key, objects);
      return objects;
    },
  };
}
