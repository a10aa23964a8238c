import { rm } from "node:fs/promises";
import { join } from "node:path";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { createSqliteRunStore } from "../../src/store/sqlite/run-store.ts";
import { temporaryDirectory } from "../fixture.ts";
import { testRunStore } from "./run-store-contract.ts";

testRunStore(async () => {
  const directory = await temporaryDirectory();
  const database = openDatabase(join(directory, "test.db"));
  return {
    store: createSqliteRunStore(database),
    async close() {
      database.close();
      await rm(directory, { recursive: true });
    },
  };
});
