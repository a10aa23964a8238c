import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { promisify } from "node:util";
import { siblingModule } from "./child.ts";
import { confinement } from "./launch.ts";
import { type SandboxLayer, sandboxing } from "./sandbox-layers.ts";
import { openUserIds, type UserIdRange } from "./user-ids.ts";

/** Layer that gives each process of a statement a user of its own. */
export interface UserLayer {
  readonly layer: SandboxLayer;
  /** True if the service can start processes with other user ids. */
  readonly canChangeUser: boolean;
}

/**
 * Capabilities that a service without root needs, by their numbers: CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_KILL, CAP_SETGID,
 * CAP_SETUID, CAP_SETPCAP and CAP_SYS_ADMIN, without which a network namespace has no other user ids.
 */
const neededCapabilities = [0, 1, 5, 6, 7, 8, 21].reduce((bits, number) => bits | (1n << BigInt(number)), 0n);

/** Time that the examination of an id may take, in milliseconds: it takes a third of a second on an idle machine. */
const examineMs = 60_000;

const examined = new Map<string, Promise<UserLayer>>();

/** Tests if the ids of a range can be used on this machine. The first call starts a process with one of the ids. */
export function examineUserIds(range: UserIdRange): Promise<UserLayer> {
  const name = `${range.first}-${range.last}`;
  const known = examined.get(name) ?? examine(range, name);
  examined.set(name, known);
  known.catch(() => examined.delete(name)); // an id may be free at the next call
  return known;
}

async function examine(ids: UserIdRange, range: string): Promise<UserLayer> {
  const layer = (isPresent: boolean, meaning: string): SandboxLayer => ({ name: "user", isPresent, meaning });
  if (process.geteuid === undefined || !mayChangeUser())
    return {
      canChangeUser: false,
      layer: layer(
        true,
        "Processes of statements have the user of the service. On Linux, a service that is root gives each of them a user of its own.",
      ),
    };
  // Leased, because another service kills the processes of an id that it gives back.
  const { id: userId, release } = await (await openUserIds(ids)).lease();
  const fault = await faultOf(userId).finally(release);
  if (fault === undefined)
    return {
      canChangeUser: true,
      layer: layer(
        true,
        `Each process of a statement has a user id of its own from ${range}, and no supplementary groups.`,
      ),
    };
  return {
    canChangeUser: false,
    layer: layer(
      false,
      `Processes of statements have the user of the service, because the user id ${userId} cannot run them: ${fault} Run the service as a user other than root, or remove this cause.`,
    ),
  };
}

function mayChangeUser(): boolean {
  if (process.platform !== "linux") return false;
  if (process.geteuid?.() === 0) return true;
  // Programs that the service starts have the ambient capabilities only.
  const ambient = /^CapAmb:\s+([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "0";
  return (BigInt(`0x${ambient}`) & neededCapabilities) === neededCapabilities;
}

/** Loads the modules of a process with the id. Returns the fault as a sentence; undefined if there is none. */
async function faultOf(userId: number): Promise<string | undefined> {
  const machine = sandboxing();
  if (machine.withoutPrivileges === undefined)
    return "setpriv is missing or cannot set no_new_privs; install util-linux 2.33 or later.";
  const modules = [siblingModule("./serving", import.meta.url).href, enginePath()];
  const source = `
    for (const module of ${JSON.stringify(modules)})
      await import(module).catch(({ message }) => { console.log(message); process.exit(1); });
    console.log(process.getuid());`;
  const command = [...confinement({ userId, maxMemoryBytes: 4_000_000_000 }, machine), process.execPath];
  const [program = "", ...parameters] = [...command, "--input-type=module", "--eval", source];
  try {
    const { stdout } = await promisify(execFile)(program, parameters, { cwd: "/", env: {}, timeout: examineMs });
    return Number(stdout) === userId ? undefined : "the process has another user id.";
  } catch (error) {
    return `${reasonOf(error)}; all users must be able to read Node.js and the packages of Quern, and the id must exist in /proc/self/uid_map.`;
  }
}

function enginePath(): string {
  return createRequire(import.meta.url).resolve("@duckdb/node-api");
}

/** Returns the first line that a program has printed before it failed, else that of the error. */
function reasonOf(error: unknown): string {
  const { stdout = "", stderr = "", message = "" } = Object(error) as Partial<Record<string, string>>;
  return ((stdout || stderr || message).trim().split("\n")[0] ?? "").replace(/\.$/, "");
}
