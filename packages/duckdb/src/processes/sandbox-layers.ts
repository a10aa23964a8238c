import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { residentBytes } from "./watchdogs.ts";

/** One of the walls around a process that runs statements, apart from those that the engine itself has. */
export interface SandboxLayer {
  readonly name: SandboxLayerName;
  readonly isPresent: boolean;
  /** What holds on this machine, or what follows from the layer's absence and how to get it. */
  readonly meaning: string;
}

type SandboxLayerName = "limits" | "memory-watchdog" | "no-network" | "no-privileges" | "process-group";

/** The layers of this machine, and the programs that put a process behind them. */
export interface Sandboxing {
  readonly layers: readonly SandboxLayer[];
  /** Undefined where the machine has no such program, or does not let it do its work. */
  readonly prlimit: string | undefined;
  /** The words that start a program without a network, up to the program. */
  readonly withoutNetwork: readonly string[] | undefined;
  /** The words that start a program which gains no privileges and is killed with its parent. */
  readonly withoutPrivileges: readonly string[] | undefined;
  readonly hasGroups: boolean;
}

/** What a probe asks of the machine. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  /** Where a program is; undefined where the machine has none of that name. */
  find(program: string): string | undefined;
  /** What the words print; undefined when they fail. */
  output(words: readonly string[]): string | undefined;
  /** Whether the memory of a process can be read from outside. */
  readonly canReadMemory: boolean;
}

let known: Sandboxing | undefined;

/** What this machine has; tried out when it is first asked for. */
export function sandboxing(): Sandboxing {
  known ??= probeLayers(thisMachine());
  return known;
}

/** Tries each layer out: a program that is there may still not be allowed its work, for instance in a container. */
export function probeLayers(machine: Machine): Sandboxing {
  const prlimit = probeLimits(machine);
  const withoutNetwork = probeNetwork(machine);
  const withoutPrivileges = probePrivileges(machine);
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
      "The kernel limits memory, processor time, file size and open files of each statement.",
      "No kernel limits: only the engine's own memory limit and the watchdog hold. Install util-linux (prlimit).",
    ),
    layer(
      "memory-watchdog",
      machine.canReadMemory,
      "A process that uses too much memory is killed within moments.",
      "The memory of a process cannot be watched from outside. Run the service on Linux or macOS.",
    ),
    layer(
      "no-network",
      withoutNetwork !== undefined,
      "Processes of statements have no network.",
      "Only the engine's own lock keeps statements from the network. Allow network namespaces (unshare --net).",
    ),
    layer(
      "no-privileges",
      withoutPrivileges !== undefined,
      "Processes of statements gain no privileges, and the kernel kills them with the service.",
      "Processes of statements end with the service by themselves only. Install util-linux 2.33 or later (setpriv).",
    ),
    layer(
      "process-group",
      hasGroups,
      "Processes of statements are killed with all that they start.",
      "The system has no process groups: what such a process starts would outlive it.",
    ),
  ];
  return { layers, prlimit, withoutNetwork, withoutPrivileges, hasGroups };
}

/** @throws naming each layer that the machine lacks */
export function requireLayers(layers: readonly SandboxLayer[]): void {
  const missing = layers.filter(({ isPresent }) => !isPresent);
  if (missing.length === 0) return;
  const reasons = missing.map(({ name, meaning }) => `${name}: ${meaning}`);
  throw new Error(`This machine lacks layers of the strict sandbox. ${reasons.join(" ")}`);
}

function probeLimits(machine: Machine): string | undefined {
  const prlimit = machine.find("prlimit");
  const cat = machine.find("cat");
  if (prlimit === undefined || cat === undefined) return undefined;
  const limits = ["--data=1000000000", "--cpu=1000", "--fsize=1000000000", "--nofile=256", "--core=0"];
  const told = machine.output([prlimit, ...limits, "--", cat, "/proc/self/limits"]) ?? "";
  return /^Max data size\s+1000000000\s/m.test(told) ? prlimit : undefined;
}

function probeNetwork(machine: Machine): readonly string[] | undefined {
  const unshare = machine.find("unshare");
  const cat = machine.find("cat");
  if (unshare === undefined || cat === undefined) return undefined;
  // The first form is for root; the second is for everybody where the kernel lets users have namespaces.
  const forms = [
    [unshare, "--net", "--"],
    [unshare, "--net", "--map-root-user", "--"],
  ];
  return forms.find((words) => {
    const told = machine.output([...words, cat, "/proc/net/dev"]);
    const interfaces = told?.match(/^\s*[^\s:|]+(?=:)/gm);
    return interfaces?.every((name) => name.trim() === "lo") ?? false;
  });
}

function probePrivileges(machine: Machine): readonly string[] | undefined {
  const setpriv = machine.find("setpriv");
  const cat = machine.find("cat");
  if (setpriv === undefined || cat === undefined) return undefined;
  const words = [setpriv, "--no-new-privs", "--pdeathsig", "KILL", "--"];
  const told = machine.output([...words, cat, "/proc/self/status"]) ?? "";
  return /^NoNewPrivs:\s+1$/m.test(told) ? words : undefined;
}

function thisMachine(): Machine {
  const folders = (process.env.PATH ?? "/usr/sbin:/usr/bin:/sbin:/bin").split(delimiter);
  return {
    platform: process.platform,
    find: (program) => folders.map((folder) => join(folder, program)).find((path) => existsSync(path)),
    output([program = "", ...words]) {
      const { status, stdout } = spawnSync(program, words, { encoding: "utf8", env: {}, timeout: 5_000 });
      return status === 0 ? stdout : undefined;
    },
    canReadMemory: residentBytes(process.pid) !== undefined,
  };
}
