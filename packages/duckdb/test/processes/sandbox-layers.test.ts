import { expect, it } from "vitest";
import { type Machine, probeLayers, requireLayers, sandboxing } from "../../src/processes/sandbox-layers.ts";

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
const whole: Machine = {
  platform: "linux",
  find: (program) => `/bin/${program}`,
  output: (words) => answers[words.at(-1) ?? ""],
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
    all.filter((name) => !["no-privileges", "no-capabilities"].includes(name)),
  );
  const keeping: Machine = {
    ...whole,
    output: (words) => whole.output(words)?.replace(/CapPrm:\t0+/, "CapPrm:\t01ff"),
  };
  expect(present(probeLayers(keeping))).toEqual(all.filter((name) => name !== "no-capabilities"));
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
  for (const { meaning } of layers) expect(meaning).toMatch(/\w\.$/);
});
