import assert from "node:assert/strict";
import { isEngineLostError } from "../../error.ts";
import type { Execution } from "../../source-kind.ts";
import type { ContractCase } from "../contract-case.ts";
import type { SourceKindContext } from "./context.ts";
import { deliver, failureOf, thrownBy, unlimited, withExecution } from "./delivery.ts";

/** Cases about statements that fail or are aborted. */
export const endingCases: readonly ContractCase<SourceKindContext>[] = [
  {
    name: "fails an invalid statement with the category USER, a name and a message",
    async run(context) {
      const { name, message, data } = await failureOf(deliver(context, context.invalid, async () => {}));
      assert.match(name, /^[A-Z]\w+$/);
      assert.match(message, /./);
      assert.equal(data.category, "USER");
    },
  },
  {
    name: "fails a statement whose error occurs after its first rows",
    async run(context) {
      const { message } = await failureOf(deliver(context, context.lateFailure, async () => {}));
      assert.match(message, /./);
      await deliver(context, context.samples.types.sql, async () => {});
    },
  },
  {
    name: "ends a statement when its signal is aborted, with the reason of the signal",
    async run(context) {
      const controller = new AbortController();
      const { signal } = controller;
      const running = deliver(context, context.endless, async () => {}, { signal });
      const reason = new Error("aborted by the caller");
      // Completes another statement first, so that the abort arrives while the endless one runs.
      await deliver(context, context.samples.types.sql, async () => {}).finally(() => controller.abort(reason));
      assert.equal(await thrownBy(running), reason);
    },
  },
  {
    name: "ends a statement at its timeout",
    async run(context) {
      const signal = AbortSignal.timeout(300);
      const thrown = await thrownBy(deliver(context, context.endless, async () => {}, { signal }));
      assert.equal(thrown, signal.reason);
    },
  },
  {
    name: "does not begin a statement whose signal is already aborted",
    async run(context) {
      const signal = AbortSignal.abort(new Error("aborted before the call"));
      const thrown = await thrownBy(deliver(context, context.samples.types.sql, async () => {}, { signal }));
      assert.equal(thrown, signal.reason);
    },
  },
  {
    name: "ends a statement that is released before its result is available",
    async run(context) {
      const endless = await withExecution(context, context.endless, unlimited, async (execution) => ({
        ended: thrownBy(consume(execution)),
      }));
      assert.ok((await endless.ended) instanceof Error);
    },
  },
  {
    name: "cancels a query of another process by its id",
    async run(context) {
      const { kind, source } = context;
      await withExecution(context, context.endless, unlimited, async (execution) => {
        const { engineQueryId } = execution;
        if (engineQueryId === null) return; // queries of this engine end with their process
        const ended = thrownBy(consume(execution));
        await kind.cancel(source, engineQueryId);
        assert.ok((await ended) instanceof Error);
        await kind.cancel(source, engineQueryId);
      });
      await kind.cancel(source, "an unknown query");
    },
  },
  {
    name: "loses the statements of an engine that ends, and runs the next one once the engine is back",
    async run(context) {
      const { restart, samples } = context;
      if (restart === undefined) return;
      const isLoss = (error: unknown): void =>
        assert.ok(isEngineLostError(error), `expected an EngineLostError, got ${error}`);
      try {
        await withExecution(context, context.endless, unlimited, async (execution) => {
          const ended = thrownBy(consume(execution));
          await restart.stop();
          isLoss(await ended);
        });
        isLoss(await thrownBy(deliver(context, samples.types.sql, async () => {})));
      } finally {
        await restart.start();
      }
      await deliver(context, samples.types.sql, async () => {});
    },
  },
];

/** Reads the whole result of an execution. */
async function consume(execution: Execution): Promise<void> {
  const result = await execution.result();
  if (result.form === "parquet") await result.file();
  else if (result.form === "rows") for await (const _ of result.rows);
  else if (result.form === "encoded") for await (const part of result.parts) for await (const _ of part);
}
