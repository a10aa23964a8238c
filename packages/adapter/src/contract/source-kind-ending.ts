import assert from "node:assert/strict";
import type { Execution } from "../source-kind.ts";
import type { ContractCase } from "./contract-case.ts";
import { deliver, failureOf, thrownBy, unlimited, withExecution } from "./delivery.ts";
import type { SourceKindContext } from "./source-kind-context.ts";

/** Cases about statements that fail, or that are ended from outside. */
export const endingCases: readonly ContractCase<SourceKindContext>[] = [
  {
    name: "fails an invalid statement by a fault of its author, in words",
    async run(context) {
      const { name, message, data } = await failureOf(deliver(context, context.invalid, async () => {}));
      assert.match(name, /^[A-Z]\w+$/);
      assert.match(message, /./);
      assert.equal(data.category, "USER");
    },
  },
  {
    name: "fails a statement whose error comes after its first rows",
    async run(context) {
      const { message } = await failureOf(deliver(context, context.lateFailure, async () => {}));
      assert.match(message, /./);
      await deliver(context, context.samples.types.sql, async () => {});
    },
  },
  {
    name: "ends a statement when its caller cancels it, with the caller's reason",
    async run(context) {
      const controller = new AbortController();
      const { signal } = controller;
      const running = deliver(context, context.endless, async () => {}, { signal });
      const reason = new Error("canceled by its caller");
      // It is stopped while it runs: another statement has run to its end beside it.
      await deliver(context, context.samples.types.sql, async () => {}).finally(() => controller.abort(reason));
      assert.equal(await thrownBy(running), reason);
    },
  },
  {
    name: "ends a statement at its time limit",
    async run(context) {
      const signal = AbortSignal.timeout(300);
      const thrown = await thrownBy(deliver(context, context.endless, async () => {}, { signal }));
      assert.equal(thrown, signal.reason);
    },
  },
  {
    name: "does not begin a statement that was canceled before",
    async run(context) {
      const signal = AbortSignal.abort(new Error("canceled before"));
      const thrown = await thrownBy(deliver(context, context.samples.types.sql, async () => {}, { signal }));
      assert.equal(thrown, signal.reason);
    },
  },
  {
    name: "ends a statement that is released before its result is known",
    async run(context) {
      const endless = await withExecution(context, context.endless, unlimited, async (execution) => ({
        ended: thrownBy(delivered(execution)),
      }));
      assert.ok((await endless.ended) instanceof Error);
    },
  },
  {
    name: "cancels by its id a query that another process began",
    async run(context) {
      const { kind, source } = context;
      await withExecution(context, context.endless, unlimited, async (execution) => {
        const { engineQueryId } = execution;
        if (engineQueryId === null) return; // its queries end with the process that began them
        const ended = thrownBy(delivered(execution));
        await kind.cancel(source, engineQueryId);
        assert.ok((await ended) instanceof Error);
        await kind.cancel(source, engineQueryId);
      });
      await kind.cancel(source, "a query that never was");
    },
  },
];

/** Waits for all that an execution delivers. */
async function delivered(execution: Execution): Promise<void> {
  const result = await execution.result();
  if (result.form === "parquet") await result.file();
  else if (result.form === "rows") for await (const _ of result.rows);
  else for await (const part of result.parts) for await (const _ of part);
}
