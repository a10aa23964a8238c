import { resolve } from "node:path";
import { buildCommand, type Command } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { storeFlags } from "../../data-directory/flags.ts";
import { parseFile } from "../../flags.ts";
import type { MigrateStoreFlags } from "./action.ts";

const target = { kind: "parsed", optional: true } as const;

/** `quern migrate-store`: copies the store and the results to another location. */
export const migrateStoreCommand: Command<Context> = buildCommand<MigrateStoreFlags, [], Context>({
  loader: async () => (await import("./action.ts")).runMigrateStore,
  parameters: {
    flags: {
      toStore: {
        ...target,
        parse: String,
        placeholder: "address",
        brief:
          "Database for the store, such as postgres://quern@db.example.com/quern. Default: --to-data-dir, or else it stays.",
      },
      toStorePasswordFile: {
        ...target,
        parse: parseFile,
        placeholder: "file",
        brief: "File with the password of that database. Default: that of PGPASSWORD or .pgpass.",
      },
      toResults: {
        ...target,
        parse: String,
        placeholder: "address",
        brief: "Bucket for the results, such as s3://bucket/prefix. Default: --to-data-dir, or else they stay.",
      },
      toDataDir: {
        ...target,
        parse: (folder: string) => resolve(folder),
        placeholder: "folder",
        brief: "Data directory for what has no address in the other flags. It is created.",
      },
      check: {
        kind: "boolean",
        default: false,
        withNegated: false,
        brief: "Compare source and target by counts and hashes, and copy nothing.",
      },
      abandonResults: {
        kind: "boolean",
        default: false,
        withNegated: false,
        brief:
          "Give up the results of a lost bucket, and use the empty one of the settings, or the data directory without one. Copies nothing.",
      },
      ...storeFlags,
      dataDir: { ...storeFlags.dataDir, brief: "Data directory of the service, which must not be running." },
    },
  },
  docs: {
    brief: "Copy the store and the results to PostgreSQL and a bucket, or back.",
    fullDescription: [
      "Copies tenants, keys, settings, usage, statements, runs, requests and results, and compares source and target by counts and",
      "hashes. The source is that of the settings, or of --data-dir; its records and results stay. Stop all servers before. The target must be",
      "empty. If the command is interrupted, run it again: it continues. Data sources and the audit log do not move.",
      "",
      "EXAMPLES",
      "  quern migrate-store --data-dir ./data --to-store postgres://quern@db.example.com/quern --to-results s3://bucket/prefix",
      "  quern migrate-store --config servers.json --to-data-dir ./data",
      "  quern migrate-store --data-dir ./data --to-results s3://bucket/prefix --check",
      "  quern migrate-store --config servers.json --abandon-results",
    ].join("\n"),
  },
});
