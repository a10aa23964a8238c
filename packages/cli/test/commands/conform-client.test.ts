import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { quern } from "../quern.ts";

const name = "HTTP 401 with HTML";
const say = (error: string) => `echo '{"endings":[{"error":"${error}"}]}'`;
/** Client that sends one request and writes a fixed ending. */
const client = (error: string) =>
  `sed 's/.*"url":"\\([^"]*\\)".*/\\1/' | { read url; curl -s -o /dev/null -d '{"id":1,"method":"getQueryRun","params":[{}]}' "$url/json-rpc"; ${say(error)}; }`;
const conform = (...words: string[]) => quern(["conform-client", "--case", name, ...words], { PATH: "/usr/bin:/bin" });

it("runs cases against a command, and exits with 1 if a case fails", async () => {
  expect(await conform("--command", client("http 401"))).toEqual({
    status: 0,
    stdout: "1 of 1 cases pass; failures: 0 must, 0 should\nthe client passes\n",
    stderr: "",
  });
  const { status, stdout } = await conform("--command", client("timeout"), "--json", "--fail-on", "should");
  expect(status).toBe(1);
  const problems = ["expected the error http 401, got the error timeout"];
  expect(JSON.parse(stdout)).toEqual([{ name, level: "should", outcome: "failed", problems, sent: ["getQueryRun"] }]);
  expect(await conform("--command", client("timeout"))).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^should: HTTP 401 with HTML\n(.*\n)+the client passes\n$/),
  });
});

it("takes a file of expected failures, and reports an unknown case", async () => {
  const list = join(await mkdtemp(join(tmpdir(), "quern-conform-")), "expected.json");
  await writeFile(list, JSON.stringify({ [name]: "not yet" }));
  const { status, stdout } = await conform("--command", client("timeout"), "--expected-failures", list);
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: expect.stringMatching(/^0 of 1 cases pass.*; 1 fail as expected\n/),
  });
  const stray = await quern(["conform-client", "--command", "true", "--case", "nothing"]);
  expect(stray).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('unknown case: "nothing"; the contract testing guide'),
  });
  const missing = await conform("--command", "true", "--expected-failures", join(list, "none"));
  expect(missing).toMatchObject({ status: 2, stderr: expect.stringContaining('such as {"HTTP 502 once":"planned') });
  const cut = await quern(["conform-client", "--command", "true", "--case", "empty arr"]);
  expect(cut.stderr).toContain('unknown case: "empty arr"; did you mean "empty array"?');
});

it("does not pass a client whose requests reach no fault", async () => {
  const { status, stdout } = await quern([
    "conform-client",
    "--command",
    client("timeout"),
    "--case",
    "batch with a failed call",
  ]);
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: expect.stringMatching(
      /^not reached: batch with a failed call\n.*\nno verdict: the client sent no request that a fault matches\n$/,
    ),
  });
});

it("ends with 1 for a client that takes an error for a result, and with 2 for a command that does not exist", async () => {
  const lying = client("").replace(/echo .*; }$/, 'echo \'{"endings":[{"result":7}]}\'; }');
  expect(await conform("--command", lying)).toMatchObject({
    status: 1,
    stdout: expect.stringMatching(/^must: HTTP 401 with HTML\n.*wrong result 7.*\n(.*\n)+the client fails\n$/),
  });
  expect(await conform("--command", "./nonexistent")).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("cannot start the command: ./nonexistent"),
  });
  expect(await conform("--command", "true", "--fail-on", "may")).toMatchObject({ status: 2 });
});
