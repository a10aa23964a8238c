import { landlockFlags } from "./landlock.ts";
import { type Machine, thisMachine } from "./machine.ts";

/** Protection around a process that runs statements, in addition to the protection that the engine itself has. */
export interface SandboxLayer {
  readonly name: SandboxLayerName;
  readonly isPresent: boolean;
  /** True if the strict sandbox does not require the layer, because many systems lack it. @default false */
  readonly isOptional?: boolean;
  /** Effect of the layer on this machine; if the layer is missing, the consequence and how to get it. */
  readonly meaning: string;
}

type SandboxLayerName =
  | "landlock"
  | "limits"
  | "memory-watchdog"
  | "no-capabilities"
  | "no-network"
  | "no-privileges"
  | "out-of-memory"
  | "process-group"
  | "user";

/** Layers of this machine, and the commands that start a program inside them. */
export interface Sandboxing {
  readonly layers: readonly SandboxLayer[];
  /** Path of `prlimit`; undefined if the machine lacks it or does not permit its use. */
  readonly prlimit: string | undefined;
  /** Start of a command line that runs the program after it without network access. */
  readonly withoutNetwork: readonly string[] | undefined;
  /**
   * Start of a command line that runs the program after it without new privileges. Where Landlock is present, the
   * program can change files only below its working directory. The kernel kills the program when its parent ends.
   */
  readonly withoutPrivileges: readonly string[] | undefined;
  /** True if the system has process groups, so a process is killed together with its descendants. */
  readonly hasGroups: boolean;
}

let cached: Sandboxing | undefined;

/** Returns the layers of this machine. The first call probes them. */
export function sandboxing(): Sandboxing {
  cached ??= probeLayers(thisMachine());
  return cached;
}

/**
 * Examines each layer. Those that need a program are tried, because a program that is installed can still be forbidden,
 * for example in a container.
 */
export function probeLayers(machine: Machine): Sandboxing {
  const prlimit = probeLimits(machine);
  const withoutNetwork = probeNetwork(machine);
  const { withoutPrivileges, hasNoCapabilities, hasLandlock } = probePrivileges(machine, withoutNetwork);
  const hasGroups = machine.platform !== "win32";
  const layer = (name: SandboxLayerName, isPresent: boolean, present: string, absent: string): SandboxLayer => ({
    name,
    isPresent,
    meaning: isPresent ? present : absent,
  });
  const layers = [
    layer(
      "limits",
      prlimit !== undefined,
      "The kernel limits memory, processor time, file size and open files of each process of statements.",
      "No kernel limits: only the limits of the engine and the watchdogs apply. On Linux, install util-linux (prlimit), and permit its use.",
    ),
    layer(
      "memory-watchdog",
      machine.canReadMemory,
      "A process that uses too much memory is killed within a second.",
      "No watchdog: the memory use of a process cannot be measured from outside. Run the service on Linux or macOS.",
    ),
    layer(
      "no-network",
      withoutNetwork !== undefined,
      "Processes of statements have no network.",
      "Only the locked settings of the engine keep statements from the network. On Linux, allow network namespaces (unshare --net).",
    ),
    layer(
      "no-privileges",
      withoutPrivileges !== undefined,
      "Processes of statements gain no privileges, and the kernel kills them with the service.",
      "The kernel does not kill processes of statements with the service, nor keep them from privileges. On Linux, install util-linux 2.33 or later (setpriv).",
    ),
    layer(
      "no-capabilities",
      hasNoCapabilities,
      "Processes of statements have no capabilities of root.",
      "Processes of statements can have capabilities of root. On Linux, install util-linux 2.33 or later (setpriv), and permit CAP_SETPCAP or run the service without root.",
    ),
    {
      ...layer(
        "landlock",
        hasLandlock,
        "Processes of statements change files only below their own directory, and execute only Node.js and its dynamic linker, which can load other programs.",
        "Only the locked settings of the engine, users and permissions keep processes of statements from other files and programs. Install util-linux 2.40 or later (setpriv), and run the service on Linux 5.13 or later with Landlock.",
      ),
      isOptional: true,
    },
    layer(
      "out-of-memory",
      machine.hasOutOfMemoryScore,
      "If the machine has no memory left, the kernel ends a process of a statement before the service.",
      "If the machine has no memory left, the system can end the service. Run the service on Linux.",
    ),
    layer(
      "process-group",
      hasGroups,
      "Processes of statements are killed together with the processes that they start.",
      "The system has no process groups: a process that a statement starts can outlive it. Run the service on Linux or macOS.",
    ),
  ];
  return { layers, prlimit, withoutNetwork, withoutPrivileges, hasGroups };
}

/** Requires all layers but optional ones. @throws {Error} that names each missing layer and how to get it */
export function requireLayers(layers: readonly SandboxLayer[]): void {
  const missing = layers.filter(({ isPresent, isOptional = false }) => !isPresent && !isOptional);
  if (missing.length === 0) return;
  const reasons = missing.map(({ name, meaning }) => `${name}: ${meaning}`);
  throw new Error(`This machine lacks layers of the strict sandbox: ${reasons.join(" ")}`);
}

function probeLimits(machine: Machine): string | undefined {
  const prlimit = machine.find("prlimit");
  const cat = machine.find("cat");
  if (prlimit === undefined || cat === undefined) return undefined;
  const limits = ["--data=1000000000", "--cpu=1000", "--fsize=1000000000", "--nofile=256", "--core=0"];
  const output = machine.output([prlimit, ...limits, "--", cat, "/proc/self/limits"]) ?? "";
  return /^Max data size\s+1000000000\s/m.test(output) ? prlimit : undefined;
}

function probeNetwork(machine: Machine): readonly string[] | undefined {
  const unshare = machine.find("unshare");
  const cat = machine.find("cat");
  if (unshare === undefined || cat === undefined) return undefined;
  // Root needs the first form. Other users need the second, if the kernel permits user namespaces.
  const commands = [
    [unshare, "--net", "--"],
    [unshare, "--net", "--map-root-user", "--"],
  ];
  return commands.find((command) => {
    const output = machine.output([...command, cat, "/proc/net/dev"]);
    const interfaces = output?.match(/^\s*[^\s:|]+(?=:)/gm);
    return interfaces?.every((name) => name.trim() === "lo") ?? false;
  });
}

/** Flags of setpriv that remove all capabilities, also those that a program could have after its start. */
const withoutCapabilities = ["--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all"];

/** @param prefix Command that precedes the other one: a user namespace gives its processes capabilities of their own. */
function probePrivileges(
  machine: Machine,
  prefix: readonly string[] = [],
): { withoutPrivileges: readonly string[] | undefined; hasNoCapabilities: boolean; hasLandlock: boolean } {
  const setpriv = machine.find("setpriv");
  const cat = machine.find("cat");
  if (setpriv !== undefined && cat !== undefined)
    // A process without CAP_SETPCAP cannot change its sets. One that is not root has no capabilities in effect.
    for (const flags of [withoutCapabilities, []]) {
      const command = [setpriv, ...flags, "--no-new-privs", "--pdeathsig", "KILL"];
      const output = machine.output([...prefix, ...command, "--", cat, "/proc/self/status"]) ?? "";
      if (!/^NoNewPrivs:\s+1$/m.test(output)) continue;
      const landlock = landlockFlags(machine, [...prefix, ...command], cat);
      return {
        withoutPrivileges: [...command, ...(landlock ?? []), "--"],
        hasNoCapabilities: /^CapPrm:\s+0+$/m.test(output),
        hasLandlock: landlock !== undefined,
      };
    }
  return { withoutPrivileges: undefined, hasNoCapabilities: false, hasLandlock: false };
}
