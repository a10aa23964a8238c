import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";

let setpriv: readonly string[] | undefined;
vi.mock("../../src/processes/sandbox-layers.ts", async (load) => ({
  ...(await load<object>()),
  sandboxing: () => ({ withoutPrivileges: setpriv }),
}));
/** Status of this process in place of its own. */
let status: string | undefined;
vi.mock("node:fs", async (load) => {
  const module = await load<typeof import("node:fs")>();
  const read = (...values: Parameters<typeof module.readFileSync>) =>
    values[0] === "/proc/self/status" && status !== undefined ? status : module.readFileSync(...values);
  return { ...module, readFileSync: read };
});
// Another test file in this process may have loaded the modules without the mock.
vi.resetModules();
const { examineUserIds } = await import("../../src/processes/user-layer.ts");

let directory: string;
let next = 4_200_000_000;
beforeEach(async () => {
  directory = await temporaryDirectory();
});
afterEach(async () => {
  vi.restoreAllMocks();
  status = undefined;
  await rm(directory, { recursive: true });
});

/** Examines one id with a shell script in place of setpriv. */
async function examine(script: string | undefined) {
  next += 1;
  const program = join(directory, "setpriv");
  if (script !== undefined) await writeFile(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const range = { first: next, last: next };
  const { layer, canChangeUser } = await examineUserIds(range);
  expect([layer.name, layer.isPresent, await examineUserIds(range)]).toEqual([
    "user",
    canChangeUser,
    { layer, canChangeUser },
  ]);
  return { canChangeUser, meaning: layer.meaning.replaceAll(String(next), "ID") };
}
const because = (fault: string) => ({
  canChangeUser: false,
  meaning: `Processes of statements have the user of the service, because the user id ID cannot run them: ${fault} Run the service as a user other than root, or remove this cause.`,
});
const readable =
  "all users must be able to read Node.js and the packages of Quern, and the id must exist in /proc/self/uid_map.";

describe.runIf(process.platform === "linux" && process.geteuid?.() === 0)("a service that is root", () => {
  beforeEach(() => {
    setpriv = [join(directory, "setpriv"), "--flag"];
  });

  it("gives each process a user, if a process can load its modules with one", async () => {
    const script = `echo "$(pwd) $*" > ${join(directory, "words")}; env > ${join(directory, "env")}; echo ${next + 1}`;
    expect(await examine(script)).toEqual({
      canChangeUser: true,
      meaning: "Each process of a statement has a user id of its own from ID-ID, and no supplementary groups.",
    });
    const words = await readFile(join(directory, "words"), "utf8");
    const flags = `/ --reuid=${next} --regid=${next} --clear-groups --flag ${process.execPath} --input-type=module --eval`;
    expect(words.slice(0, flags.length)).toBe(flags);
    expect(words).toMatch(/"file:\/\/\S+\/processes\/serving\.(?:ts|js)","\/\S+@duckdb\/node-api\/\S+"/);
    expect(await readFile(join(directory, "env"), "utf8")).not.toContain("HOME");
  });

  it.each([
    ["echo 7", "the process has another user id."],
    ["echo 'Cannot find module.'; echo more; exit 1", `Cannot find module; ${readable}`],
    ["echo ' invalid id ' >&2; exit 1", `invalid id; ${readable}`],
    [undefined, `spawn DIR/setpriv ENOENT; ${readable}`],
  ])("does not, if the process runs %j", async (script, fault) => {
    expect(await examine(script)).toEqual(because(fault.replace("DIR", directory)));
  });

  it("does not without setpriv", async () => {
    setpriv = undefined;
    const missing = "setpriv is missing or cannot set no_new_privs; install util-linux 2.33 or later.";
    expect(await examine("exit 1")).toEqual(because(missing));
  });

  it("needs no user for its processes without root", async () => {
    vi.spyOn(process, "geteuid").mockReturnValue(1_000);
    const range = { first: 4_100_000_100, last: 4_100_000_100 };
    expect(await examineUserIds(range)).toEqual({
      canChangeUser: false,
      layer: {
        name: "user",
        isPresent: true,
        meaning:
          "Processes of statements have the user of the service. On Linux, a service that is root gives each of them a user of its own.",
      },
    });
  });

  it.each([
    ["CapAmb:\t00000000002001e3", true],
    ["CapPrm:\t0\nCapAmb:\t000001ffffffffff\nx", true],
    ...["2001e2", "2001e1", "2001c3", "2001a3", "200163", "2000e3", "0001e3"].map((capabilities): [string, boolean] => [
      `CapAmb:\t0000000000${capabilities}`,
      false,
    ]),
    ["xCapAmb:\t00000000002001e3", false],
    ["CapAmb:\t00000000002001e3 x", false],
    ["", false],
  ])("or has the capabilities that it needs: %j %s", async (text, canChangeUser) => {
    vi.spyOn(process, "geteuid").mockReturnValue(1_000);
    status = text;
    const range = { first: ++next, last: next };
    await writeFile(join(directory, "setpriv"), `#!/bin/sh\necho ${next}\n`, { mode: 0o755 });
    expect(await examineUserIds(range)).toMatchObject({ canChangeUser, layer: { isPresent: true } });
  });
});
