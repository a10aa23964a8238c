// A child that tries what its limits forbid.
import { spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { serveParent } from "../../src/processes/serving.ts";

serveParent({
  read: async (path) => readFileSync(String(path), "utf8"),
  async write(bytes) {
    const path = join(process.cwd(), `confined-${process.pid}`);
    try {
      writeFileSync(path, Buffer.alloc(Number(bytes)));
      return bytes;
    } finally {
      rmSync(path, { force: true });
    }
  },
  async spin() {
    for (;;) Math.random();
  },
  connect: (host) => new Promise((resolve) => connect(80, String(host)).on("error", (error) => resolve(String(error)))),
  start: async () => spawn("/bin/sleep", ["60"]).pid,
});
