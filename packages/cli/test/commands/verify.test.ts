import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createMockServer } from "@quern/mock-server";
import { expect, it } from "vitest";
import { firstLine, quern, quernOn, startQuern } from "../quern.ts";

const file = async (name: string) => join(await mkdtemp(join(tmpdir(), "quern-verify-")), name);

/** A call that every service answers alike. */
const listing = { method: "listQueryRuns", params: { limit: 1 }, result: { queryRuns: [] } };

it("replays the calls of a mock on a service, and exits with 1 if an answer differs", async () => {
  const ledger = await file("ledger.json");
  const mock = startQuern(["mock", "--port", "0", "--json", "--ledger", ledger]);
  const { url, apiKey } = JSON.parse(await firstLine(mock));
  const asked = await quern(["query", "select origin, cars from cars"], { QUERN_URL: url, QUERN_API_KEY: apiKey });
  expect(asked.stdout).toContain("USA");
  mock.signal("SIGTERM");
  await mock.ended;
  expect(await readFile(ledger, "utf8")).toContain("select origin, cars from cars");

  const right = createMockServer();
  await using service = await quernOn(right);
  const verify = (...words: string[]) => service.run(["verify", ledger, "--against", service.env.QUERN_URL, ...words]);
  const kept = await verify();
  expect(kept).toMatchObject({ status: 0, stderr: "" });
  expect(kept.stdout).toMatch(/^(\d+) of \1 calls in 1 sessions pass on http/);
  right.when("select origin, cars from cars").rows([{ origin: "USA" }]);
  const broken = await verify("--json");
  expect(broken.status).toBe(1);
  expect(JSON.parse(broken.stdout)).toMatchObject({ isVerified: false });
});

it("ends with 2 for a file that is no ledger, and with 7 where nothing answers", async () => {
  const list = await file("list.json");
  await writeFile(list, "[]");
  const env = { QUERN_API_KEY: "any" };
  const against = ["--against", "http://127.0.0.1:1"];
  expect(await quern(["verify", list, ...against], env)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("list.json: not a ledger: expected an object"),
  });
  expect((await quern(["verify", `${list}.not`, ...against], env)).status).toBe(2);
  await writeFile(list, '{"sessions":[]}');
  expect(await quern(["verify", list, ...against], env)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("list.json: the ledger has no calls"),
  });
  await writeFile(list, JSON.stringify({ sessions: [[listing]] }));
  expect((await quern(["verify", list, ...against], env)).status).toBe(7);
});

it("sets provider states by a command or at an address, before the calls and after them", async () => {
  await using service = await quernOn(createMockServer());
  const ledger = await file("ledger.json");
  const session = { consumer: "garage", test: "has cars", providerStates: [{ name: "cars" }], calls: [listing] };
  await writeFile(ledger, JSON.stringify({ sessions: [session] }));
  const verify = (...words: string[]) => service.run(["verify", ledger, "--against", service.env.QUERN_URL, ...words]);
  const written = await file("states");
  expect((await verify("--state-command", `cat >> ${written}`)).status ?? 0).toBe(0);
  const change = (action: string) => JSON.stringify({ name: "cars", consumer: "garage", action });
  expect(await readFile(written, "utf8")).toBe(change("setup") + change("teardown"));
  const failing = await verify("--state-command", "echo no database >&2; exit 3");
  expect(failing.status).toBe(1);
  expect(failing.stdout).toContain(
    'setup of the provider state "cars" failed: the command ended with exit code 3: no database',
  );
  const silent = await verify("--state-command", "exit 4");
  expect(silent.stdout).toContain('provider state "cars" failed: the command ended with exit code 4\n');
  const hanging = await verify("--state-command", "sleep 3 & wait", "--timeout", "1");
  expect(hanging.stdout).toContain('setup of the provider state "cars" failed: not done within 1000 ms\n');
  expect(hanging.stdout).toMatch(/^0 of 1 calls .*, 1 not sent because a provider state could not be set$/m);
  const unreachable = await verify("--state-url", "http://127.0.0.1:9/states");
  expect(unreachable.stdout).toMatch(/failed: no answer from http:\/\/127\.0\.0\.1:9\/states: ./);
  expect(await verify()).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/ledger\.json: the ledger needs the provider state/),
  });
  const bodies: string[] = [];
  const states = createServer(async (request, response) => {
    bodies.push(await text(request));
    response.writeHead(bodies.length > 1 ? 500 : 204).end();
  });
  await once(states.listen(0, "127.0.0.1"), "listening");
  const { port } = states.address() as AddressInfo; // A server that listens on a port has an address with one.
  const refused = await verify("--state-url", `http://127.0.0.1:${port}/states`);
  expect(bodies).toEqual([change("setup"), change("teardown")]);
  expect(refused.stdout).toContain(
    `teardown of the provider state "cars" failed: http://127.0.0.1:${port}/states answered HTTP 500`,
  );
  states.close();
});

it("ends all processes of a state command at the deadline, also if they ignore SIGTERM", async () => {
  await using service = await quernOn(createMockServer());
  const ledger = await file("ledger.json");
  await writeFile(ledger, JSON.stringify({ sessions: [{ providerStates: [{ name: "cars" }], calls: [listing] }] }));
  const pipe = await file("pipe");
  execFileSync("mkfifo", [pipe]);
  // The pipe ends when its last writer has ended.
  const written = readFile(pipe, "utf8");
  const command = `trap '' TERM; exec 3> ${pipe}; echo started >&3; sleep 600; sleep 600`;
  const words = ["--against", service.env.QUERN_URL, "--state-command", command, "--timeout", "0.5"];
  const { status, stdout } = await service.run(["verify", ledger, ...words]);
  expect(stdout).toContain('setup of the provider state "cars" failed: not done within 500 ms\n');
  expect(status).toBe(1);
  expect(await written).toBe("started\n");
});

it("ends with 6 for a service that is too slow for a verdict", async () => {
  const slow = createMockServer();
  slow.fault("listQueryRuns", { connection: "hang", times: "ever" });
  await using service = await quernOn(slow);
  const ledger = await file("ledger.json");
  await writeFile(ledger, JSON.stringify({ sessions: [[listing]] }));
  const verify = ["verify", ledger, "--against", service.env.QUERN_URL, "--timeout", "0.5"];
  const { status, stdout } = await service.run(verify);
  expect(stdout).toContain("inconclusive: no complete response within 500 ms");
  expect(status).toBe(6);
});
