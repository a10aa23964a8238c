import type { Database } from "../sources/held-data.ts";
import { noObjects, type SourceObjects } from "./source-objects.ts";

/** Views and macros of data sources. Listing them takes longer than a small statement, so it is done once a revision. */
export interface KnownObjects {
  /**
   * Returns the views and macros of a source.
   * @param isFirstTask true if the process has run no statement. The lists of others hold for one statement only, because a
   *   statement that has broken out of the engine could forge them.
   * @param list lists them in a process of the source
   */
  of(
    data: { readonly databases: readonly Database[]; readonly revision: string },
    isFirstTask: boolean,
    list: () => Promise<unknown>,
  ): Promise<SourceObjects>;
}

/** Revisions whose lists are kept. */
const maxRevisions = 1_000;

export function createKnownObjects(): KnownObjects {
  const known = new Map<string, SourceObjects>();
  return {
    async of({ databases, revision }, isFirstTask, list) {
      if (databases.length === 0) return noObjects;
      const key = JSON.stringify([revision, databases]);
      const found = known.get(key);
      if (found !== undefined) return found;
      const objects = (await list()) as SourceObjects; // sent by `statement-serving.ts`
      if (!isFirstTask) return objects;
      const [oldest] = known.keys();
      if (oldest !== undefined && known.size >= maxRevisions) known.delete(oldest);
      known.set(key, objects);
      return objects;
    },
  };
}
