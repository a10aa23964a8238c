import { createMockServer } from "@quern/mock-server";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { quernOn } from "../quern.ts";

const mock = createMockServer();
mock
  .when("select slow")
  .after("1h")
  .rows([{ n: 1 }]);
mock.when("select bad").fails({ errorName: "BinderError", errorMessage: "there is no column bad" });
const patience = { timeout: 15_000, interval: 10 };
const ids: Record<string, string> = {};
let on: Awaited<ReturnType<typeof quernOn>>;
beforeAll(async () => {
  on = await quernOn(mock);
  for (const [name, sql] of [
    ["done", "select 1"],
    ["failed", "select bad"],
    ["slow", "select slow"],
  ] as const) {
    ids[name] = await create(sql, "--tag", `name=${name}`);
  }
});
afterAll(() => on[Symbol.asyncDispose]());

async function create(sql: string, ...words: string[]): Promise<string> {
  const { stdout } = await on.run(["create-query-run", "--sql", sql, "--wait-seconds", "0", ...words]);
  const { id } = JSON.parse(stdout).queryRun;
  await on.run(["get-query-run", "--query-run-id", id]);
  return id;
}

async function list(...words: string[]): Promise<Record<string, unknown>[]> {
  const { status, stdout, stderr } = await on.run(["runs", "list", "--json", ...words]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return JSON.parse(stdout);
}

describe("quern runs list", () => {
  it("prints the newest runs first", async () => {
    const rows = await list();
    expect(rows.map(({ id, state, tags, error }) => ({ id, state, tags, error }))).toEqual([
      { id: ids.slow, state: "running", tags: "name=slow", error: null },
      { id: ids.failed, state: "failed", tags: "name=failed", error: "BinderError" },
      { id: ids.done, state: "success", tags: "name=done", error: null },
    ]);
  });

  it.each([
    [["--state", "running"], ["slow"]],
    [
      ["--state", "success,FAILED"],
      ["failed", "done"],
    ],
    [
      ["--state", "QUERY_STATE_SUCCESS", "--state", "QUERY_STATE_RUNNING"],
      ["slow", "done"],
    ],
    [["--tag", "name=failed"], ["failed"]],
    [
      ["--since", "1h", "--limit", "2"],
      ["slow", "failed"],
    ],
    [["--since", "2100-01-01"], []],
    [["--until", "2100-01-01", "--text", "SELECT B"], ["failed"]],
    [["--until", "1h"], []],
    [["--text", "select %"], []],
  ])("narrows by %j", async (words, names) => {
    expect((await list(...words)).map(({ id }) => id)).toEqual(names.map((name) => ids[name]));
  });

  it("prints the ids alone", async () => {
    const { stdout } = await on.run(["runs", "list", "--ids", "--limit", "2"]);
    expect(stdout).toBe(`${ids.slow}\n${ids.failed}\n`);
  });

  it("follows the cursor to more runs than a page has", async () => {
    await using other = await quernOn(createMockServer());
    for (let n = 0; n < 3; n += 1) await other.run(["create-query-run", "--sql", `select ${n}`]);
    const { stdout } = await other.run(["runs", "list", "--limit", "5000", "--format", "csv"]);
    expect(stdout.trimEnd().split("\n")).toHaveLength(4);
  });

  it.each([
    [["--state", "runing"], /expected states among queued, running, streaming, success, failed, canceled/],
    [["--since", "yesterday"], /invalid --since: expected a date, or a time such as 15m.*, got "yesterday"/],
    [["--limit", "0"], /invalid --limit: expected a whole number from 1, got "0"/],
  ])("refuses %j", async (words, line) => {
    expect(await on.run(["runs", "list", ...words])).toMatchObject({ status: 2, stderr: expect.stringMatching(line) });
  });
});

describe("quern runs list on a terminal", () => {
  it("prints whole ids and times, and counts the columns that do not fit", async () => {
    const { stdout, stderr } = await on.start(["runs", "list", "--limit", "1", "--no-sql"], { columns: 44 }).ended;
    const [head, , row] = stdout.split("\n");
    expect(head).toMatch(/^id +state +created_at$/);
    expect(row).toMatch(new RegExp(`^${ids.slow} +running +\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z$`));
    expect(stderr).toBe("3 of 8 columns; --full prints all\n");
  });

  it("shows the SQL before columns that do not fit", async () => {
    const { stdout } = await on.start(["runs", "list", "--limit", "1"], { columns: 80 }).ended;
    expect(stdout).toMatch(/^id +state +sql +created_at .*\n.*\n\S+ +running +select slow +\d/);
  });
});

describe("quern runs show", () => {
  it("prints the run as JSON into a pipe, and as a table on a terminal", async () => {
    const { stdout } = await on.run(["runs", "show", ids.done ?? ""]);
    expect(JSON.parse(stdout)).toMatchObject({ id: ids.done, state: "success", sql: "select 1" });
    const table = await on.start(["runs", "show", ids.done ?? ""], { columns: 80 }).ended;
    expect(table.stdout).toMatch(/^state +success$/m);
  });
});

describe("quern runs wait", () => {
  it.each([
    ["done", 0, "success\n", /^$/],
    ["failed", 4, "", /there is no column bad/],
  ])("of a run that is %s exits with %i", async (name, status, stdout, stderr) => {
    expect(await on.run(["runs", "wait", ids[name] ?? ""])).toEqual({
      status,
      stdout,
      stderr: expect.stringMatching(stderr),
    });
  });

  it("stops after its time and leaves the run as it is", async () => {
    const { slow = "" } = ids;
    expect(await on.run(["runs", "wait", slow, "--timeout-seconds", "0.2"])).toEqual({
      status: 6,
      stdout: "",
      stderr: `quern: not done within 0.2 s. Run ${slow} is not stopped; allow more time with --timeout-seconds\n`,
    });
    expect(await list("--state", "running")).toHaveLength(1);
  });

  it("prints the state on the way where it is requested", async () => {
    const id = await create("select slow");
    const { ended } = on.start(["runs", "wait", id, "--progress"]);
    await expect.poll(async () => (await list("--state", "running")).length, patience).toBe(2);
    const canceled = await on.run(["runs", "cancel", id]);
    expect(canceled).toEqual({ status: 0, stdout: `canceled ${id}\n`, stderr: "" });
    const { status, stderr } = await ended;
    expect(status).toBe(5);
    expect(stderr).toMatch(new RegExp(`^${id} running, [\\d.]+ s\n`));
  });
});

describe("quern runs cancel", () => {
  it("continues after a run that cannot be canceled, and prints the canceled runs", async () => {
    const [first, last] = [await create("select slow"), await create("select slow")];
    expect(await on.run(["runs", "cancel", first, "run_none", last])).toEqual({
      status: 8,
      stdout: `canceled ${first}\ncanceled ${last}\n`,
      stderr: expect.stringContaining("check the id run_none;"),
    });
  });

  it("ends at an error that is not about the run", async () => {
    const both = [await create("select slow"), await create("select slow")];
    mock.fault("cancelQueryRun", { error: { code: -32163, message: "not allowed" } });
    expect(await on.run(["runs", "cancel", ...both])).toMatchObject({ status: 3, stdout: "" });
    expect(await on.run(["runs", "cancel", ...both])).toMatchObject({ status: 0 });
  });

  it("cancels several runs, and prints them as JSON", async () => {
    const both = [await create("select slow"), await create("select slow")];
    const { stdout } = await on.run(["runs", "cancel", ...both, "--json"]);
    expect(JSON.parse(stdout)).toEqual({ canceled: both });
    expect((await list("--state", "canceled", "--limit", "2")).map(({ id }) => id)).toEqual(both.toReversed());
  });

  it("cancels the others where one has ended, prints them, and exits with 8", async () => {
    const both = [await create("select slow"), await create("select slow")];
    const { status, stdout, stderr } = await on.run(["runs", "cancel", both[0] ?? "", ids.done ?? "", both[1] ?? ""]);
    expect({ status, stdout }).toEqual({ status: 8, stdout: `canceled ${both[0]}\ncanceled ${both[1]}\n` });
    expect(stderr).toMatch(/^quern: run \S+: cancelQueryRun: .+\n$/);
    expect(stderr).toContain(ids.done);
  });

  it("of a run that has ended exits with 8", async () => {
    expect(await on.run(["runs", "cancel", ids.done ?? ""])).toMatchObject({ status: 8, stdout: "" });
  });
});

it.each([
  ["0.0604", 60],
  ["77", 77_000],
])("quern runs sends calls with a limit of %s seconds", async (seconds, ms) => {
  const timers = vi.spyOn(globalThis, "setTimeout");
  onTestFinished(() => timers.mockRestore());
  await on.run(["runs", "list", "--timeout-seconds", seconds]);
  expect(timers.mock.calls.map(([, delay]) => delay)).toContain(ms);
});

it("quern cancel without a run cancels the only unfinished one, else names the runs or how to find them", async () => {
  const slow = createMockServer();
  slow
    .when("select slow")
    .after("1h")
    .rows([{ n: 1 }]);
  await using other = await quernOn(slow);
  const none = "missing argument: run; no run is queued or running, and `quern runs list` lists all runs";
  expect(await other.run(["cancel"])).toEqual({ status: 2, stdout: "", stderr: `quern: ${none}\n` });
  const start = async () => {
    const words = ["create-query-run", "--sql", "select slow", "--wait-seconds", "0"];
    return JSON.parse((await other.run(words)).stdout).queryRun.id;
  };
  const [first, second] = [await start(), await start()];
  const { status, stderr } = await other.run(["cancel"]);
  expect(status).toBe(2);
  for (const id of [first, second]) expect(stderr).toMatch(new RegExp(`${id} \\(\\w+: select slow\\)`));
  await other.run(["cancel", first]);
  expect(await other.run(["cancel"])).toEqual({ status: 0, stdout: `canceled ${second}\n`, stderr: "" });
});
