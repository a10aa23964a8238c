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

it("says what each layer means, and how to get a missing one", () => {
  const [found, missing] = [whole, bare].map((machine) => probeLayers(machine).layers.map(({ meaning }) => meaning));
  for (const meaning of found ?? []) expect(meaning).toMatch(/^(?:The|If|A|Processes) [^.]+(?:\.js [^.]+)?\.$/);
  for (const meaning of missing ?? []) expect(meaning).toMatch(/^[A-Z].+\. .*(?:[Ii]nstall|[Rr]un|allow) .+\.$/);
  expect(new Set([...(found ?? []), ...(missing ?? [])]).size).toBe(2 * all.length);
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

it("tries each layer with the command that starts processes in it, and uses the first one that works", () => {
  const tried: string[] = [];
  const output = (words: readonly string[]) => {
    tried.push(words.join(" "));
    return whole.output(words);
  };
  const { prlimit, withoutNetwork, withoutPrivileges, hasGroups } = probeLayers({ ...whole, output });
  const setpriv =
    "/bin/setpriv --bounding-set=-all --inh-caps=-all --ambient-caps=-all --no-new-privs --pdeathsig KILL";
  expect(tried.slice(0, 3)).toEqual([
    "/bin/prlimit --data=1000000000 --cpu=1000 --fsize=1000000000 --nofile=256 --core=0 -- /bin/cat /proc/self/limits",
    "/bin/unshare --net -- /bin/cat /proc/net/dev",
    `/bin/unshare --net -- ${setpriv} -- /bin/cat /proc/self/status`,
  ]);
  expect(tried[3]).toContain(`/bin/unshare --net -- ${setpriv} --landlock-access fs:`);
  expect([prlimit, withoutNetwork, hasGroups]).toEqual(["/bin/prlimit", ["/bin/unshare", "--net", "--"], true]);
  expect(withoutPrivileges?.join(" ")).toMatch(new RegExp(`^${setpriv} --landlock-access fs:.* --$`));
  expect(probeLayers(bare)).toMatchObject({
    prlimit: undefined,
    withoutNetwork: undefined,
    withoutPrivileges: undefined,
    hasGroups: false,
  });
});

it.each([
  ["prlimit", ["limits"]],
  ["unshare", ["no-network"]],
  ["setpriv", ["no-privileges", "no-capabilities", "landlock"]],
  ["cat", ["limits", "no-network", "no-privileges", "no-capabilities", "landlock"]],
])("lacks without %s the layers %j", (missing, lacks) => {
  const find = (program: string) => (program === missing ? undefined : `/bin/${program}`);
  expect(present(probeLayers({ ...whole, find }))).toEqual(all.filter((name) => !lacks.includes(name)));
});

it.each<[string, string, string, string[]]>([
  ["/proc/self/status", "NoNewPrivs:\t1\n", "NoNewPrivs:\t10\n", ["no-privileges", "no-capabilities", "landlock"]],
  ["/proc/self/status", "\nNoNewPrivs:\t1", "\nxNoNewPrivs:\t1", ["no-privileges", "no-capabilities", "landlock"]],
  ["/proc/self/status", "00\nNo", "001\nNo", ["no-capabilities"]],
  ["/proc/self/status", "\nCapPrm", "\nxCapPrm", ["no-capabilities"]],
  ["/proc/self/limits", "1000000000", "10000000000", ["limits"]],
  ["/proc/self/limits", "Max data", "x Max data", ["limits"]],
  ["/proc/net/dev", "    lo:", "   elo:", ["no-network"]],
  ["/proc/net/dev", "    lo:", "    lo ", ["no-network"]],
])("does not take another answer of %s, with %j as %j, for a layer", (path, text, other, lacks) => {
  const output = (words: readonly string[]) =>
    words.at(-1) === path ? whole.output(words)?.replace(text, other) : whole.output(words);
  expect(present(probeLayers({ ...whole, output }))).toEqual(all.filter((name) => !lacks.includes(name)));
});

it("starts processes without new privileges also where it cannot change their capabilities", () => {
  const output = (words: readonly string[]) =>
    words.includes("--bounding-set=-all") ? undefined : whole.output(words)?.replace("CapPrm:\t0", "CapPrm:\t1");
  const { layers, withoutPrivileges = [] } = probeLayers({ ...whole, output });
  expect(withoutPrivileges.slice(0, 4)).toEqual(["/bin/setpriv", "--no-new-privs", "--pdeathsig", "KILL"]);
  expect(layers.filter(({ isPresent }) => !isPresent).map(({ name }) => name)).toEqual(["no-capabilities"]);
});

it("says the effect of a present layer, and the consequence of a missing one", () => {
  const meanings = (machine: Machine) =>
    Object.fromEntries(probeLayers(machine).layers.map(({ name, meaning }) => [name, meaning]));
  expect(meanings(whole)).toMatchObject({
    limits: expect.stringMatching(/^The kernel limits memory/),
    "process-group": expect.stringMatching(/^Processes of statements are killed together/),
  });
  expect(meanings(bare)).toMatchObject({
    limits: expect.stringMatching(/^No kernel limits: /),
    landlock: expect.stringMatching(/^Only the locked settings .* Install util-linux 2\.40/),
  });
  expect(sandboxing()).toBe(sandboxing());
});

it("requires no optional layer, and names each other one that is missing", () => {
  const layer = (name: "limits" | "landlock" | "user", isPresent: boolean, isOptional?: boolean) => ({
    name,
    isPresent,
    meaning: `About ${name}.`,
    ...(isOptional === undefined ? {} : { isOptional }),
  });
  expect(() => requireLayers([layer("landlock", false, true), layer("user", true)])).not.toThrow();
  expect(() => requireLayers([layer("limits", false), layer("landlock", true), layer("user", false, false)])).toThrow(
    new Error("This machine lacks layers of the strict sandbox: limits: About limits. user: About user."),
  );
});
