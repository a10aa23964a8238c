import { EngineLostError, type EngineResult, type SourceKind } from "@quern/adapter";
import { arrayKind } from "./array-kind.ts";
import { samples } from "./array-tables.ts";

/** Fault of {@link failingKind}: the engine refuses connections, does not answer, or is lost before or after its first row. */
type EngineFault = "refuses" | "hangs" | "is lost" | "is lost later";

/** Returns a result whose engine is lost after the first row. */
function lostLater(result: EngineResult): EngineResult {
  if (result.form !== "rows") throw new Error(`unexpected form: ${result.form}`);
  const { rows } = result;
  async function* untilLost() {
    for await (const row of rows) {
      yield row;
      throw new EngineLostError("read ECONNRESET 10.1.2.3:8080");
    }
  }
  return { ...result, rows: untilLost() };
}

/** Source kind of JavaScript arrays that fails on demand. Its address in errors must not reach a caller. */
export function failingKind() {
  const state: { fault: EngineFault | undefined; calls: number } = { fault: undefined, calls: 0 };
  const kind = arrayKind(samples);
  async function reach(): Promise<void> {
    state.calls += 1;
    if (state.fault === "refuses") throw new EngineLostError("connect ECONNREFUSED 10.1.2.3:8080");
    if (state.fault === "hangs") await new Promise(() => {});
  }
  const failing: SourceKind = {
    ...kind,
    async revision(source) {
      await reach();
      return kind.revision(source);
    },
    async describe(query, signal) {
      await reach();
      return kind.describe(query, signal);
    },
    async begin(statement, signal) {
      await reach();
      const execution = await kind.begin(statement, signal);
      if (state.fault === "is lost later")
        return { ...execution, result: async () => lostLater(await execution.result()) };
      if (state.fault !== "is lost") return execution;
      return { ...execution, result: () => Promise.reject(new EngineLostError("read ECONNRESET 10.1.2.3:8080")) };
    },
  };
  return { kind: failing, state };
}
