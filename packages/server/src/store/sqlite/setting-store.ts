import type { DatabaseSync } from "node:sqlite";
import type { SettingStore } from "@quern/adapter";
import { createCommits } from "./group-commit.ts";

export function createSqliteSettingStore(database: DatabaseSync): SettingStore {
  const one = database.prepare("SELECT value FROM settings WHERE name = ?");
  const create = database.prepare("INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING");
  const set = database.prepare(
    "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
  );
  const commits = createCommits(database);
  return {
    getOrCreate: async (name, text) => {
      const kept = one.get(name);
      if (kept !== undefined) return String(kept.value);
      return commits.change(() => {
        create.run(name, text);
        return String(one.get(name)?.value);
      });
    },
    set: (name, text) => commits.change(() => void set.run(name, text)),
  };
}
