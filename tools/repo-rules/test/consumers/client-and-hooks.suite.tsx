// @vitest-environment happy-dom
import { columnsOf, createClient, query } from "@quern/client";
import { QuernProvider, useQueryResults } from "@quern/react";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createRoot } from "react-dom/client";
import { describe, expect, it, vi } from "vitest";
import { mintNamespace, rowsOf, sql, testsOfSuite } from "./namespace.ts";

const numbers = Array.from({ length: testsOfSuite }, (_, number) => number);

function Cars() {
  const { data } = useQueryResults<{ name: string }>({ sql });
  return <p>{data?.rows.map(({ name }) => name).join()}</p>;
}

describe.concurrent("the client", () => {
  it.each(numbers)("has the rows of its own test, %i", async (number) => {
    const mock = await mintNamespace();
    await mock.when(sql, { rows: rowsOf("client", number) });
    const result = await query(createClient(mock), { sql });
    expect((await columnsOf(result)).get("name")).toEqual([`client ${number}`, "fiat 128"]);
    expect(await mock.statements()).toEqual([sql]);
  });
});

describe("a hook", () => {
  it("has the rows of its own test", async () => {
    const mock = await mintNamespace();
    await mock.when(sql, { rows: rowsOf("hook", 0) });
    const place = document.body.appendChild(document.createElement("div"));
    createRoot(place).render(
      <QueryClientProvider client={new QueryClient()}>
        <QuernProvider client={createClient(mock)}>
          <Cars />
        </QuernProvider>
      </QueryClientProvider>,
    );
    await vi.waitFor(() => expect(place.textContent).toBe("hook 0,fiat 128"), 10_000);
  });
});
