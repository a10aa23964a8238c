import { expect, it } from "vitest";
import { oneProcessOfFile } from "../../../duckdb/test/executor/one-process.ts";
import { startServer } from "../fixture.ts";

const engine = oneProcessOfFile();

it("a filter matches texts of LIKE without backtracking, and refuses long patterns", async () => {
  await using server = await startServer({ kind: engine() });
  const { id } = await server.run("select repeat('a', 20000) as text, 1 as n from range(20)");
  const like = async (pattern: string) => {
    const filters = [{ column: "text", like: pattern }];
    return (await server.results({ queryRunId: id, page: { size: 0 }, filters })).page?.totalRows;
  };
  expect(await like(`${"%a_".repeat(300)}%`)).toBe(20);
  expect(await like(`${"%a_".repeat(300)}%b`)).toBe(0);
  await expect(like("_".repeat(1_001))).rejects.toMatchObject({
    code: -32602,
    data: { issues: [{ pointer: "/params/0/filters/0/like", expected: "at most 1000 characters" }] },
  });
});

it("filtered and sorted pages that take too long are refused with what to do", async () => {
  await using own = await startServer({ kind: engine(), limits: { filteredPageTimeoutSeconds: 0.001 } });
  const { id } = await own.run("select 1 as n");
  expect((await own.results({ queryRunId: id })).rows).toEqual([[1]]);
  const refused = (pointer: string) => ({
    code: -32602,
    data: {
      issues: [
        {
          pointer,
          expected: "a page that takes at most 0.001 seconds; filter and sort in the statement instead",
          received: "The page took longer than 0.001 seconds.",
        },
      ],
    },
  });
  // The time is over before the processes of both pages have started.
  const answers = await Promise.allSettled([
    own.results({ queryRunId: id, filters: [{ column: "n", eq: 1 }] }),
    own.results({ queryRunId: id, sortBy: [{ column: "n", direction: "asc" }] }),
  ]);
  expect(answers).toMatchObject([{ reason: refused("/params/0/filters") }, { reason: refused("/params/0/sortBy") }]);
});

it("filtered pages that wait too long for other pages of the tenant are refused for a while", async () => {
  await using own = await startServer({ kind: engine(), limits: { filteredPageTimeoutSeconds: 0.001 } });
  const { id } = await own.run("select 1 as n");
  const page = () => own.results({ queryRunId: id, filters: [{ column: "n", eq: 1 }] });
  // Two pages wait for the start of their processes, which takes longer than the others may wait.
  const [third] = (await Promise.allSettled([page(), page(), page()])).filter(
    (each) => each.status === "rejected" && each.reason.code === -32029,
  );
  expect(third).toMatchObject({ reason: { data: { retryAfterMs: 1_000 } } });
});
