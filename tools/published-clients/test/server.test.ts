import { Flipside } from "@flipsidecrypto/sdk";
import { Flipside as Flipside20 } from "@flipsidecrypto/sdk-2.0";
import { Flipside as Ours } from "@quern/client/flipside";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createCaller, envelope } from "../src/exchange.ts";
import { testFlipsideSdk } from "../src/flipside-sdk.ts";
import { createParams, type RawCreated } from "../src/runs.ts";
import { startService } from "../src/service.ts";
import type { Subject } from "../src/subject.ts";
import { testWire } from "../src/wire.ts";

let subject: Subject;
beforeAll(async () => {
  subject = await startService();
});
afterAll(() => subject?.[Symbol.asyncDispose]());

testFlipsideSdk("2.0.0", Flipside20, () => subject);
testFlipsideSdk("2.1.0", Flipside, () => subject);
testFlipsideSdk("of @quern/client", Ours, () => subject);
testWire(() => subject);

it("the concurrency limit is an error in HTTP 200 with its numbers, because a 429 is not understood (JS)", async () => {
  await using full = await startService({ maxUnfinishedRuns: 1 });
  const { call, post } = createCaller(full);
  const { queryRun } = await call<RawCreated>("createQueryRun", createParams(full.endless.sql));
  const refused = await post(envelope(2, "createQueryRun", createParams(full.statement.sql)));
  expect(refused).toMatchObject({
    status: 200,
    body: { id: 2, error: { code: -32171, data: { currentlyRunning: 1, maxConcurrentRuns: 1 } } },
  });
  await call("cancelQueryRun", { queryRunId: queryRun.id });
});
