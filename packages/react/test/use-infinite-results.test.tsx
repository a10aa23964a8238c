// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import { useInfiniteResults } from "../src/index.ts";
import { createService, openPage } from "./support/page.tsx";

describe("useInfiniteResults", () => {
  it("reads page after page of one run, and knows the end", async () => {
    const { mock, client, sent } = createService();
    mock.when("select n").rows([{ n: 1 }, { n: 2 }, { n: 3 }]);
    let next = async () => {};
    function Numbers() {
      const results = useInfiniteResults<{ n: number }>({ sql: "select n", pageSize: 2 });
      next = async () => void (await results.fetchNextPage());
      const rows = results.data?.pages.flatMap((page) => page.rows.map(({ n }) => n)) ?? [];
      return <p>{`${rows.join()} ${results.hasNextPage ? "and more" : "of"} ${results.data?.pages[0]?.rowCount}`}</p>;
    }
    using page = openPage(client);
    page.render(<Numbers />);
    await page.shows("1,2 and more 3");
    await next();
    await page.shows("1,2,3 of 3");
    expect(sent.filter((methods) => methods === "createQueryRun")).toHaveLength(1);
    expect(sent.filter((methods) => methods === "getQueryRunResults")).toHaveLength(2);
  });
});
