import type { DatabaseSync } from "node:sqlite";
import type { LinkStore } from "@quern/adapter";
import type { Instant } from "@quern/query-run/record";
import type { Commits } from "./group-commit.ts";

export function createSqliteLinkStore(database: DatabaseSync, commits: Commits, now: () => Instant): LinkStore {
  const one = database.prepare("SELECT 1 FROM used_links WHERE id = ?");
  const use = database.prepare("INSERT INTO used_links (id, expires_at) VALUES (?, ?) ON CONFLICT (id) DO NOTHING");
  const forget = database.prepare("DELETE FROM used_links WHERE expires_at <= ?");
  return {
    isUsed: async (id) => one.get(id) !== undefined,
    use: (id, expiresAt) =>
      commits.change(() => {
        forget.run(now());
        return use.run(id, expiresAt).changes === 1;
      }),
  };
}
