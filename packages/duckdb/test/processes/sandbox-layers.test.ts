import { expect, it } from "vitest";
import type { Machine } from "../../src/processes/machine.ts";
import { probeLayers, requireLayers, sandboxing } from "../../src/processes/sandbox-layers.ts";

const bare: Machine = {
  platform: "win32",
  find: () => undefined,
  output: () => undefined,
  canReadMemory: false,
  hasOutOfMemoryScore: false,
};

const answers: Readonly<Record<string, string>> = {
  "/proc/self/limits": "Max data size             1000000000           1000000000           bytes\n",
  "/proc/net/dev": "Inter-|   Receive\n face |bytes\n    lo:       0\n",
  "/proc/self/status": "Name:\tcat\nCapPrm:\t0000000000000000\nNoNewPrivs:\t1\n",
};
const executesAll = "path-beneath:execute:/";
/** Tells whether Landlock denies the program of a command line. */
const isDenied = (words: readonly string[]) => words.includes("--landlock-access") && !words.includes(executesAll);
const whole: Machine = {
  platform: "linux",
  find: (program) => `/bin/${program}`,
  output: (words) => (isDenied(words) ? undefined : answers[words.at(-1) ?? ""]),
  canReadMemory: true,
  hasOutOfMemoryScore: true,
};
const present = ({ layers }: ReturnType<typeof probeLayers>) =>
  layers.filter(({ isPresent }) => isPresent).map(({ name }) => name);
const all = [
  "limits",
  "memory-watchdog",
  "no-network",
  "no-privileges",
  "no-capabilities",
  "landlock",
  "out-of-memory",
  "process-group",
];

it("finds all layers of a complete machine, and none of a bare one", () => {
  expect(present(probeLayers(whole))).toEqual(all);
  expect(present(probeLayers(bare))).toEqual([]);
});

it("rejects a program that is installed and has no effect", () => {
  const unchanged: Machine = {
    ...whole,
    output: (words) => answers[words.at(-1) ?? ""]?.replace("1000000000  ", "unlimited "),
  };
  expect(present(probeLayers(unchanged))).not.toContain("limits");
  const connected: Machine = { ...whole, output: (words) => `${answers[words.at(-1) ?? ""]}  eth0:       0\n` };
  expect(present(probeLayers(connected))).not.toContain("no-network");
  const refusing: Machine = { ...whole, output: (words) => (words.includes("KILL") ? undefined : whole.output(words)) };
  expect(present(probeLayers(refusing))).toEqual(
    all.filter((name) => !["no-privileges", "no-capabilities", "landlock"].includes(name)),
  );
  const keeping: Machine = {
    ...whole,
    output: (words) => whole.output(words)?.replace(/CapPrm:\t0+/, "CapPrm:\t01ff"),
  };
  expect(present(probeLayers(keeping))).toEqual(all.filter((name) => name !== "no-capabilities"));
});

it("uses the rights of Landlock that setpriv and the kernel have, and does without Landlock if they have none", () => {
  const rightsOn = (refused: RegExp) => {
    const output = (words: readonly string[]) => (refused.test(words.join(" ")) ? undefined : whole.output(words));
    const { layers, withoutPrivileges = [] } = probeLayers({ ...whole, output });
    const [, rights] = /--landlock-access fs:(\S+)/.exec(withoutPrivileges.join(" ")) ?? [];
    expect(layers.find(({ name }) => name === "landlock")).toMatchObject({ isPresent: rights !== undefined });
    expect(() => requireLayers(layers)).not.toThrow();
    expect(withoutPrivileges.at(-1)).toBe("--");
    return rights;
  };
  expect(rightsOn(/none/)).toMatch(/,refer,truncate,execute$/);
  expect(rightsOn(/truncate/)).toMatch(/,make-block,refer,execute$/);
  expect(rightsOn(/refer/)).toMatch(/^write-file,.*,make-block,execute$/);
  expect(rightsOn(/landlock/)).toBeUndefined();
});

it("does without Landlock if it denies nothing", () => {
  const { layers, withoutPrivileges } = probeLayers({ ...whole, output: (words) => answers[words.at(-1) ?? ""] });
  expect(layers.find(({ name }) => name === "landlock")).toMatchObject({ isPresent: false });
  expect(withoutPrivileges).not.toContain("--landlock-access");
});

it("uses a user namespace without root", () => {
  const user: Machine = {
    ...whole,
    output: (words) =>
      words.includes("--net") && !words.includes("--map-root-user") ? undefined : whole.output(words),
  };
  expect(probeLayers(user).withoutNetwork).toEqual(["/bin/unshare", "--net", "--map-root-user", "--"]);
});

it("refuses a machine that lacks a layer, and says how to get it", () => {
  expect(() => requireLayers(probeLayers(whole).layers)).not.toThrow();
  const withoutLimits: Machine = {
    ...whole,
    find: (program) => (program === "prlimit" ? undefined : `/bin/${program}`),
  };
  const refusal = () => requireLayers(probeLayers(withoutLimits).layers);
  expect(refusal).toThrow(/limits: .*install util-linux/);
  expect(refusal).not.toThrow(/no-network/);
});

it("describes each layer of this machine", () => {
  const { layers } = sandboxing();
  expect(layers.map(({ name }) => name)).toEqual(all);
  expect(layers.filter(({ isOptional }) => isOptional).map(({ name }) => name)).toEqual(["landlock"]);
  for (const { meaning } of layers) expect(meaning).toMatch(/\w\.$/);
});
