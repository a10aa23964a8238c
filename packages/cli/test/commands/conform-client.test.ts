import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { quern } from "../quern.ts";

const name = "HTTP 401 with HTML";
const say = (error: string) => `echo '{"endings":[{"error":"${error}"}]}'`;
/** Asks once, and says what it was told to say. */
const client = (error: string) =>
  `sed 's/.*"url":"\\([^"]*\\)".*/\\1/' | { read url; curl -s -o /dev/null -d '{"id":1,"method":"getQueryRun","params":[{}]}' "$url/json-rpc"; ${say(error)}; }`;
const conform = (...words: string[]) => quern(["conform-client", "--case", name, ...words], { PATH: "/usr/bin:/bin" });

it("plays cases to a command, and tells by its exit code whether all ended as they must", async () => {
  expect(await conform("--command", client("http 401"))).toEqual({
    status: 0,
    stdout: "1 of 1 cases pass\n",
    stderr: "",
  });
  const { status, stdout } = await conform("--command", client("timeout"), "--json");
  expect(status).toBe(1);
  expect(JSON.parse(stdout)).toEqual([{ name, outcome: "failed", problems: ["ended timeout, not http 401"] }]);
});

it("takes a list of what may fail, and names a case that does not exist", async () => {
  const list = join(await mkdtemp(join(tmpdir(), "quern-conform-")), "expected.json");
  await writeFile(list, JSON.stringify({ [name]: "not yet" }));
  const { status, stdout } = await conform("--command", client("timeout"), "--expected-failures", list);
  expect({ status, stdout }).toEqual({ status: 0, stdout: "0 of 1 cases pass, 1 fail as expected\n" });
  const stray = await quern(["conform-client", "--command", "true", "--case", "nothing"]);
  expect(stray).toMatchObject({ status: 2, stderr: expect.stringContaining('there is no case "nothing"') });
});
