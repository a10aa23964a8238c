// @vitest-environment happy-dom
import { createClient } from "@quern/client";
import { createMockServer } from "@quern/mock-server";
import { expect, it, onTestFinished, vi } from "vitest";
import { useQueryResults } from "../../src/index.ts";
import { openPage } from "../support/page.tsx";

it("fetches again by itself after an outage, later after each failure, and not after an error of the statement", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const mock = createMockServer();
  mock.when("select cars").rows([{ name: "fiat" }]);
  mock.when("select wrong").fails({ errorMessage: "no column" });
  let isReached = false;
  let attempts = 0;
  const fetch: typeof mock.fetch = async (input, init) => {
    attempts += 1;
    if (!isReached) throw new TypeError("connection refused");
    return mock.fetch(input, init);
  };
  const client = createClient({ ...mock, fetch, retries: 0 });
  using page = openPage(client);
  function Panel({ sql }: { readonly sql: string }) {
    const { state, data, errorUpdateCount } = useQueryResults({ sql });
    return <p>{`${state} ${data?.rows.length ?? errorUpdateCount}`}</p>;
  }
  page.render(<Panel sql="select cars" />);
  await page.shows("error 1");
  vi.advanceTimersByTime(5_000);
  await page.shows("error 2");
  vi.advanceTimersByTime(9_999);
  expect(attempts).toBe(2);
  isReached = true;
  vi.advanceTimersByTime(1);
  await page.shows("success 1");
  page.render(<Panel sql="select wrong" />);
  await page.shows("error 1");
  const answered = attempts;
  vi.advanceTimersByTime(600_000);
  await new Promise((resolve) => setImmediate(resolve));
  expect(attempts).toBe(answered);
});
