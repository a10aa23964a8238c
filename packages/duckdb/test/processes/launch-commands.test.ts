import type { ChildProcess } from "node:child_process";
import { expect, it, vi } from "vitest";
import { confinement, killLaunched } from "../../src/processes/launch.ts";
import { sandboxing } from "../../src/processes/sandbox-layers.ts";

it("chains the commands of the layers, without those that the machine lacks", () => {
  const limits = { maxMemoryBytes: 5, maxProcessorSeconds: 6, maxFileBytes: 7 };
  const words = { prlimit: "prlimit", withoutNetwork: ["unshare", "--"], withoutPrivileges: ["setpriv", "--"] };
  expect(confinement(limits, { ...words, hasGroups: true }).join(" ")).toBe(
    "prlimit --data=5 --cpu=6:11 --fsize=7 --nofile=1024 --core=0 -- unshare -- setpriv --",
  );
  const none = { prlimit: undefined, withoutNetwork: undefined, withoutPrivileges: undefined, hasGroups: false };
  expect(confinement(limits, none)).toEqual([]);
  expect(
    confinement({ maxMemoryBytes: 5, userId: 7 }, { ...words, withoutNetwork: undefined, hasGroups: true }).join(" "),
  ).toBe("prlimit --data=5 --nofile=1024 --core=0 -- setpriv --reuid=7 --regid=7 --clear-groups --");
  expect(confinement({ maxMemoryBytes: 5, userId: 7 }, none)).toEqual([]);
});

it.each([
  [{ pid: 7, exitCode: null, signalCode: null }, [[sandboxing().hasGroups ? -7 : 7, "SIGKILL"]]],
  [{ pid: undefined, exitCode: null, signalCode: null }, []],
  [{ pid: 7, exitCode: 0, signalCode: null }, []],
  [{ pid: 7, exitCode: null, signalCode: "SIGTERM" }, []],
])("kills the process %o with %j", (launched, kills) => {
  const kill = vi.spyOn(process, "kill").mockImplementation(() => {
    throw new Error("ESRCH"); // it has just ended
  });
  killLaunched(launched as ChildProcess);
  expect(kill.mock.calls).toEqual(kills);
  kill.mockRestore();
});
