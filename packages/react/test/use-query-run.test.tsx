// @vitest-environment happy-dom
import { createQueryRun } from "@quern/client";
import { describe, it } from "vitest";
import { useQueryRun } from "../src/index.ts";
import { createService, openPage } from "./support/page.tsx";

describe("useQueryRun", () => {
  it("shows the run from its first look to its end", async () => {
    const { mock, client } = createService();
    mock
      .when("select slow")
      .after("30s")
      .rows([{ n: 1 }]);
    const { queryRun } = await createQueryRun(client, { sql: "select slow" });
    function State() {
      const { data, isFetching } = useQueryRun(queryRun.id);
      return <p>{`${data?.state} ${isFetching ? "goes on" : "has ended"}`}</p>;
    }
    using page = openPage(client);
    page.render(<State />);
    await page.shows("QUERY_STATE_RUNNING goes on");
    mock.clock.advance("30s");
    await page.shows("QUERY_STATE_SUCCESS has ended");
  });
});
