import type { SettingStore } from "@quern/adapter";
import type { Database } from "./database.ts";

export function createPostgresSettingStore(database: Database): SettingStore {
  return {
    async get(name) {
      const [row] = await database.rows("SELECT value FROM settings WHERE name = $1", name);
      return row && String(row.value);
    },
    async getOrCreate(name, text) {
      await database.rows(
        "INSERT INTO settings (name, value) SELECT $1, $2 WHERE NOT EXISTS (SELECT 1 FROM settings WHERE name = $1) ON CONFLICT DO NOTHING",
        name,
        text,
      );
      // A statement of its own, so that it sees the text of a server that was faster.
      return String((await database.rows("SELECT value FROM settings WHERE name = $1", name))[0]?.value);
    },
    async set(name, text) {
      await database.rows(
        "INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        name,
        text,
      );
    },
  };
}
