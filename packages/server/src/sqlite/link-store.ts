import type { DatabaseSync } from "node:sqlite";
import type { LinkStore } from "@quern/adapter";
import type { Instant } from "@quern/query-run/record";
import type { Commits } from "./group-commit.ts";

export function createSqliteLinkStore(database: DatabaseSync, commits: Commits, now: () => Instant): LinkStore {
  const one = database.prepare("SELECT 1 FROM used_links WHERE id = ?");
  const use = database.prepare("INSERT INTO used_links (id, expires_at) VALUES (?, ?) ON CONFLICT (id) DO NOTHING");
  const forget = database.prepare("DELETE FROM used_links WHERE expires_at <= ?");
  const view = database.prepare("SELECT text FROM link_views WHERE id = ?");
  const keepView = database.prepare(
    `INSERT INTO link_views (id, text, expires_at) VALUES (?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET expires_at = max(expires_at, excluded.expires_at)`,
  );
  const forgetViews = database.prepare("DELETE FROM link_views WHERE expires_at <= ?");
  return {
    isUsed: async (id) => one.get(id) !== undefined,
    use: (id, expiresAt) =>
      commits.change(() => {
        forget.run(now());
        return use.run(id, expiresAt).changes === 1;
      }),
    keepView: (id, text, expiresAt) =>
      commits.change(() => {
        forgetViews.run(now());
        keepView.run(id, text, expiresAt);
      }),
    async view(id) {
      const row = view.get(id);
      return row && String(row.text);
    },
  };
}
