// @vitest-environment happy-dom
import { createClient } from "@quern/client";
import { expect, it } from "vitest";
import { useQueryResults } from "../../src/index.ts";
import { openPage } from "../support/page.tsx";

/** A service whose run has each state for one poll, and whose pages have one row each. */
function createService(states: string[]) {
  const run = () => ({ id: "run", state: `QUERY_STATE_${states.length > 1 ? states.shift() : states[0]}` });
  const answer = (method: string, page: { number: number }) =>
    method === "createQueryRun"
      ? { queryRequest: { id: "request", queryRunId: "run", triggeredQueryRun: true }, queryRun: run() }
      : method === "getQueryRun"
        ? { queryRun: run() }
        : {
            columnNames: ["n"],
            columnTypes: ["number"],
            rows: [[page.number]],
            page: { currentPageNumber: page.number, currentPageSize: 1, totalRows: 3 },
          };
  return createClient({
    url: "http://service.example",
    apiKey: "k",
    fetch: async (_, { body }) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      const { id, method, params } = JSON.parse(body);
      const text = JSON.stringify({ jsonrpc: "2.0", id, result: answer(method, params[0].page) });
      return { status: 200, headers: new Headers(), text: async () => text };
    },
  });
}

it("renders once for each state, and keeps the id of the run from its creation on", async () => {
  const rendered: string[] = [];
  const client = createService(["READY", "READY", "RUNNING", "SUCCESS"]);
  using page = openPage(client);
  function Panel() {
    const { state, queryRunId, data } = useQueryResults({ sql: "select n", pageSize: 1 });
    rendered.push(`${state} ${queryRunId ?? "no id"} ${data?.rows.length ?? 0}`);
    return <p>{state}</p>;
  }
  page.render(<Panel />);
  await page.shows("success");
  expect(rendered).toEqual(["queued no id 0", "queued run 0", "running run 0", "reading run 0", "success run 3"]);
});
