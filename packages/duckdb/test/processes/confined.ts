// Child that tries to exceed its limits.
import { spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
// The built package is used, because its processes start faster than from sources.
import { serveParent } from "../../dist/processes/serving.js";

async function aThousand(perform: (number: number) => void): Promise<never> {
  for (let number = 0; number < 1_000; number += 1) {
    perform(number);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return new Promise(() => {});
}

/** Arguments of a Node.js that waits. */
const waiting = ["--eval", "setTimeout(() => {}, 60_000)"];

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
  /** Writes a thousand small files, or allocates a thousand small buffers, and never answers. */
  fill: (bytes) => aThousand((file) => writeFileSync(`filled-${file}`, Buffer.alloc(Number(bytes)))),
  grow: () => {
    const kept: Buffer[] = [];
    return aThousand(() => kept.push(Buffer.alloc(1_000_000, 1)));
  },
  async spin() {
    for (;;) Math.random();
  },
  connect: (host) => new Promise((resolve) => connect(80, String(host)).on("error", (error) => resolve(String(error)))),
  async create(path) {
    writeFileSync(String(path), "created");
    return path;
  },
  remove: async (path) => rmSync(String(path), { recursive: true }),
  signal: async (pid) => process.kill(Number(pid), "SIGTERM"),
  /** Starts a process that is not killed with this one. */
  escape: async () => spawn(process.execPath, waiting, { detached: true }).pid,
  start: async () => spawn(process.execPath, waiting).pid,
  execute: (program) =>
    new Promise((resolve) =>
      spawn(String(program))
        .on("exit", resolve)
        .on("error", (error) => resolve(String(error))),
    ),
});
