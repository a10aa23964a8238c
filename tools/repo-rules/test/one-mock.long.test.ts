import { execFile, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createMockServer } from "@quern/mock-server";
import { listen } from "@quern/mock-server/listen";
import { expect, it } from "vitest";
import { root } from "../src/tree.ts";

const consumers = join(root, "tools/repo-rules/test/consumers");
const run = promisify(execFile);
const hasPytest = spawnSync("python3", ["-c", "import pytest"]).status === 0;
const python = hasPytest ? "Python's standard library" : "no Python, because the machine lacks python3 with pytest";

it(`one mock serves three suites at once, each test alone: our client and hooks, the published SDK, ${python}`, async () => {
  await using door = await listen(createMockServer());
  const env = { ...process.env, MOCK_URL: door.url, MOCK_ADMIN_URL: door.adminUrl, PYTHONDONTWRITEBYTECODE: "1" };
  const folder = mkdtempSync(join(tmpdir(), "quern-consumers-"));
  cpSync(join(root, "examples/mock-clients/pytest/conftest.py"), join(folder, "conftest.py"));
  cpSync(join(consumers, "test_plain_http.py"), join(folder, "test_plain_http.py"));
  const attached = { ...env, QUERN_MOCK_URL: door.url };
  const pytest = () => run("python3", ["-m", "pytest", "-p", "no:cacheprovider", folder], { env: attached });
  const [vitest, node, plain] = await Promise.all([
    run("vitest", ["run", "--root", consumers, "--reporter=default"], { env }),
    run(process.execPath, ["--test", join(consumers, "flipside-sdk.suite.ts")], { env }),
    hasPytest ? pytest() : undefined,
  ]).finally(() => rmSync(folder, { recursive: true }));

  expect(vitest.stdout).toMatch(/Tests .*21 passed/);
  expect(node.stdout).toMatch(/pass 20\n.*fail 0/s);
  if (plain !== undefined) expect(plain.stdout).toMatch(/20 passed/);
});
