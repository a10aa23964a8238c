/** Thread that moves the write-ahead log of the database at `workerData` into the database for `createCheckpoints`. */
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";

// If a reader or another process uses the log, the next checkpoint tries again.
const database = new DatabaseSync(workerData, { timeout: 0 });
const checkpoint = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)");

parentPort?.on("message", (request: "checkpoint" | "close") => {
  if (request === "close") {
    database.close();
    parentPort?.close();
    return;
  }
  try {
    checkpoint.get();
  } catch {
    // The log has all changes, for example while the disk is too full for the database to grow.
  }
  parentPort?.postMessage("done");
});
