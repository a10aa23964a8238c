import { submission } from "@quern/adapter/contract";
import { createRequest, createRun } from "@quern/query-run/record";
import { expect, it } from "vitest";
import type { Queries } from "../../src/store/database.ts";
import { insertRequest } from "../../src/store/idempotency.ts";

it.each([
  ["without an idempotency key", null],
  ["with an idempotency key", { apiKeyId: "caller", key: "k", bodyHash: "body" }],
])("stores a request %s as one value for each parameter", async (_, idempotency) => {
  const of = submission({}, { idempotency });
  const run = createRun(of.run, 0);
  const request = createRequest({ ...of.request, userId: "ann", tags: {}, idempotencyKey: null }, run, true, 0);
  const statements: [text: string, values: readonly unknown[]][] = [];
  const rows = async (text: string, ...values: readonly unknown[]) => {
    statements.push([text, values]);
    return [{}];
  };
  await insertRequest({ rows } as unknown as Queries, of, run, request, false);
  const [text = "", values = []] = statements[0] ?? [];
  const parameters = new Set(Array.from(text.matchAll(/\$(\d+)/g), ([, number]) => Number(number)));
  expect([...parameters].sort((a, b) => a - b)).toEqual(values.map((_, index) => index + 1));
  expect(values[6]).toBe(JSON.stringify(request));
  expect(values.slice(0, 3)).toEqual([run.id, request.id, "ann"]);
});
