import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { withFakePackages } from "../fake-packages.ts";
import type { Started } from "../quern.ts";

const packages: Record<string, object> = {};
const { calls, fake, quern, startQuern } = withFakePackages(packages);
const ledger = { ledger: () => "the calls" };
const close = fake("close");
const listening = { url: "http://127.0.0.1:1", adminUrl: "http://127.0.0.1:1/admin", close };

beforeEach(() => {
  packages["@quern/mock-server"] = {
    createLedger: () => ledger,
    createMockServer(options: object) {
      calls.push(["createMockServer", options]);
      return { apiKey: "mock_1" };
    },
  };
  packages["@quern/mock-server/listen"] = { listen: fake("listen", listening) };
  packages["@quern/mock-server/files"] = {
    stubsFrom: (folder: string) => [folder],
    saveLedger: (...args: readonly unknown[]) => void calls.push(["saveLedger", ...args]),
  };
});

/** Ends a mock once it listens. */
async function ended(started: Started) {
  started.stdout.once("data", () => setImmediate(() => started.signal("SIGTERM")));
  return await started.ended;
}

const defaults = { clock: { ticking: true, auto: false }, open: false, strict: false };
const lines =
  "quern listening on http://127.0.0.1:1\nadmin API at http://127.0.0.1:1/admin/json-rpc\napi key: mock_1\n";

describe("quern mock", () => {
  it("starts a mock with a ticking clock and a new key", async () => {
    expect(await ended(startQuern(["mock"], { QUERN_API_KEY: "" }))).toEqual({ status: 0, stdout: lines, stderr: "" });
    expect(calls).toStrictEqual([
      ["createMockServer", defaults],
      ["listen", { apiKey: "mock_1" }, { port: 8_080, host: "127.0.0.1" }],
      ["close"],
    ]);
  });

  it("starts a mock with all that its flags say, and saves the ledger at its end", async () => {
    const words = ["--open", "--strict", "--seed", "0", "--clock", "still", "--stubs", "folder", "--ledger", "l.json"];
    const more = ["--port", "0", "--host", "::1", "--allowed-hosts", "a,,b,", "--json"];
    const { stdout } = await ended(startQuern(["mock", ...words, ...more], { QUERN_API_KEY: "any\n" }));
    const { url, adminUrl } = listening;
    expect(JSON.parse(stdout)).toEqual({ url, adminUrl, apiKey: "mock_1", pid: process.pid });
    const clock = { ticking: false, auto: false };
    const options = { clock, open: true, strict: true, seed: 0, stubs: ["folder"], ledger, apiKey: "any" };
    expect(calls).toStrictEqual([
      ["createMockServer", options],
      ["listen", { apiKey: "mock_1" }, { port: 0, host: "::1", allowedHosts: ["a", "b"] }],
      ["close"],
      ["saveLedger", "l.json", "the calls"],
    ]);
  });

  it("starts a mock whose clock jumps", async () => {
    await ended(startQuern(["mock", "--clock", "auto"]));
    expect(calls[0]).toEqual(["createMockServer", { ...defaults, clock: { ticking: false, auto: true } }]);
  });

  it("ends with its parent", async () => {
    const started = startQuern(["mock", "--parent", "stdin"]);
    expect(await started.ended).toEqual({ status: 0, stdout: lines, stderr: "" });
    const kill = vi.spyOn(process, "kill").mockImplementation(() => {
      throw Object.assign(new Error("no such process"), { code: "ESRCH" });
    });
    onTestFinished(() => kill.mockRestore());
    expect(await startQuern(["mock", "--parent", "4711"]).ended).toMatchObject({ status: 0 });
    expect(kill.mock.calls[0]).toEqual([4_711, 0]);
  });

  it.each([
    [["--seed", "1.5"], 'quern: invalid --seed: expected a whole number, got "1.5"\n'],
    [["--seed", "9007199254740992"], 'quern: invalid --seed: expected a whole number, got "9007199254740992"\n'],
    [["--parent", "0"], 'quern: invalid --parent: expected the id of a process, or stdin, got "0"\n'],
    [["--parent", "1.5"], 'quern: invalid --parent: expected the id of a process, or stdin, got "1.5"\n'],
    [["--port", "65536"], 'quern: invalid --port: expected a port from 0 to 65535, got "65536"\n'],
    [["--port", "-1"], 'quern: invalid --port: expected a port from 0 to 65535, got "-1"\n'],
  ])("refuses %j", async (words, stderr) => {
    expect(await quern(["mock", ...words])).toEqual({ status: 2, stdout: "", stderr });
    expect(calls).toEqual([]);
  });

  it("says why it cannot read stubs or listen", async () => {
    const stubsFrom = (folder: string) => {
      throw new Error(`${folder}/a.json: stub: invalid match`);
    };
    packages["@quern/mock-server/files"] = { stubsFrom };
    expect(await quern(["mock", "--stubs", "s"])).toMatchObject({
      status: 2,
      stderr: "quern: cannot read the stubs: s/a.json: stub: invalid match\n",
    });
    const refused = Object.assign(new Error("in use"), { code: "EADDRINUSE" });
    packages["@quern/mock-server/listen"] = { listen: fake("listen", refused) };
    expect(await quern(["mock", "--port", "65535"])).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^quern: port in use: 127\.0\.0\.1:65535; /),
    });
  });
});
