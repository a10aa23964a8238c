// @vitest-environment happy-dom
import { createQueryRun } from "@quern/client";
import { describe, expect, it } from "vitest";
import { createService } from "../../../query-options/test/support/service.ts";
import { getQueryRunResultsOptions, getSqlStatementOptions, methodKey, useMethod } from "../../src/index.ts";
import { openPage } from "../support/page.tsx";

function Sql({ id }: { id: string }) {
  const { data, error } = useMethod(getSqlStatementOptions, { sqlStatementId: id });
  return <p>{error ? `${error.errorName}` : data?.sqlStatement.sql}</p>;
}

describe("useMethod", () => {
  it("returns the result of any method", async () => {
    const { client } = createService();
    const { sqlStatement } = await createQueryRun(client, { sql: "select 1" });
    using page = openPage(client);
    page.render(<Sql id={sqlStatement.id} />);
    await page.shows("select 1");
    const { queryKey } = getSqlStatementOptions(client, { sqlStatementId: sqlStatement.id });
    expect(queryKey).toEqual([...methodKey(client, "getSqlStatement"), { sqlStatementId: sqlStatement.id }]);
  });

  it("takes options of TanStack Query", async () => {
    const { client, sent } = createService();
    const { sqlStatement } = await createQueryRun(client, { sql: "select 1" });
    const before = sent.length;
    function Length({ enabled }: { enabled: boolean }) {
      const select = (result: { readonly sqlStatement: { readonly sql: string } }) => result.sqlStatement.sql.length;
      const { data } = useMethod(getSqlStatementOptions, { sqlStatementId: sqlStatement.id }, { enabled, select });
      return <p>{data ?? "none"}</p>;
    }
    using page = openPage(client);
    page.render(<Length enabled={false} />);
    await page.shows("none");
    expect(sent).toHaveLength(before);
    page.render(<Length enabled />);
    await page.shows("8");
  });

  it("returns its declared error without a retry", async () => {
    const { client, sent } = createService();
    using page = openPage(client);
    page.render(<Sql id="unknown" />);
    await page.shows("SqlStatementNotFound");
    expect(sent).toEqual(["getSqlStatement"]);
  });

  it("reads a page once, because its rows never change", () => {
    const { client } = createService();
    const params = { queryRunId: "run", format: "csv" } as const;
    expect(getQueryRunResultsOptions(client, params).staleTime).toBe(Infinity);
    expect(getSqlStatementOptions(client, { sqlStatementId: "one" }).staleTime).toBeUndefined();
  });
});
