import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMockServer } from "@quern/mock-server";
import { expect, it } from "vitest";
import { firstLine, quern, quernOn, startQuern } from "../quern.ts";

const file = async (name: string) => join(await mkdtemp(join(tmpdir(), "quern-verify-")), name);

it("asks a service for what callers used of a mock, and ends with 1 where that is not kept", async () => {
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
  expect(kept.stdout).toMatch(/^(\d+) of \1 calls of 1 sessions are kept by http/);
  right.when("select origin, cars from cars").rows([{ origin: "USA" }]);
  const broken = await verify("--json");
  expect(broken.status).toBe(1);
  expect(JSON.parse(broken.stdout)).toMatchObject({ isKept: false });
});

it("ends with 2 for a file that is no ledger, and with 7 where nothing answers", async () => {
  const list = await file("list.json");
  await writeFile(list, "[]");
  const env = { QUERN_API_KEY: "any" };
  const against = ["--against", "http://127.0.0.1:1"];
  expect(await quern(["verify", list, ...against], env)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("is no ledger: a ledger is an object"),
  });
  expect((await quern(["verify", `${list}.not`, ...against], env)).status).toBe(2);
  await writeFile(list, '{"sessions":[]}');
  expect((await quern(["verify", list, ...against], env)).status).toBe(7);
});
