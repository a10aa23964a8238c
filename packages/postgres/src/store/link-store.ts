import type { LinkStore } from "@quern/adapter";
import type { Database } from "./database.ts";

export function createPostgresLinkStore(database: Database): LinkStore {
  return {
    isUsed: async (id) => (await database.rows("SELECT 1 FROM used_links WHERE id = $1", id)).length > 0,
    async use(id, expiresAt) {
      await database.rows("DELETE FROM used_links WHERE expires_at <= now_ms()");
      const used = await database.rows(
        "INSERT INTO used_links (id, expires_at) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING RETURNING 1",
        id,
        expiresAt,
      );
      return used.length === 1;
    },
    async keepView(id, text, expiresAt) {
      await database.rows("DELETE FROM link_views WHERE expires_at <= now_ms()");
      await database.rows(
        `INSERT INTO link_views (id, text, expires_at) VALUES ($1, $2, $3)
        ON CONFLICT (id) DO UPDATE SET expires_at = greatest(link_views.expires_at, excluded.expires_at)`,
        id,
        text,
        expiresAt,
      );
    },
    async view(id) {
      const [row] = await database.rows("SELECT text FROM link_views WHERE id = $1", id);
      return row && String(row.text);
    },
  };
}
