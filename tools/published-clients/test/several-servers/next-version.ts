import { cp, mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

const postgres = join(import.meta.dirname, "../../../../packages/postgres");

/**
 * Migration that a next version could have: it only adds, to each table that servers read and write, and replaces a
 * function by an equal one. A trigger writes the new column for the servers of this version, too.
 */
const expand = `
  ALTER TABLE runs ADD COLUMN next_note text NOT NULL DEFAULT '';
  ALTER TABLE requests ADD COLUMN next_note text NOT NULL DEFAULT '';
  ALTER TABLE statements ADD COLUMN next_note text NOT NULL DEFAULT '';
  ALTER TABLE queues ADD COLUMN next_note text NOT NULL DEFAULT '';
  ALTER TABLE leases ADD COLUMN next_note text NOT NULL DEFAULT '';
  CREATE TABLE next_things (id text PRIMARY KEY);
  CREATE INDEX runs_by_next_note ON runs (next_note, id);
  CREATE FUNCTION write_next_note() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN new.next_note := new.state; RETURN new; END $$;
  CREATE TRIGGER next_note BEFORE INSERT OR UPDATE ON runs FOR EACH ROW EXECUTE FUNCTION write_next_note();
  UPDATE runs SET next_note = state;
  CREATE OR REPLACE FUNCTION real_ms() RETURNS bigint LANGUAGE sql VOLATILE
    AS $$ SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;
`;

/**
 * Creates a folder from which a server loads a next version of the built `@quern/postgres`, which has one more migration.
 */
export async function createNextVersion(folder: string): Promise<void> {
  const copy = join(folder, "node_modules/@quern/postgres");
  await mkdir(copy, { recursive: true });
  await cp(join(postgres, "package.json"), join(copy, "package.json"));
  await cp(join(postgres, "dist"), join(copy, "dist"), { recursive: true });
  await symlink(join(postgres, "node_modules"), join(copy, "node_modules"));
  const store = join(copy, "dist/store");
  await rename(join(store, "migrations.js"), join(store, "released-migrations.js"));
  await writeFile(
    join(store, "migrations.js"),
    `import { migrations as released } from "./released-migrations.js";
export const migrations = [...released, { sql: ${JSON.stringify(expand)}, oldestServer: released.length }];
`,
  );
}
