import { EngineLostError, type EngineResult, type SourceKind } from "@quern/adapter";
import { arrayKind } from "./array-kind.ts";
import { samples } from "./array-tables.ts";

/**
 * Fault of {@link failingKind}: the engine refuses connections, does not answer, or is lost before or after its first
 * row, or while it writes its file.
 */
type EngineFault = "refuses" | "hangs" | "is lost" | "is lost later" | "is lost in its file";

const lostText = "read ECONNRESET 10.1.2.3:8080";

/** Returns a result whose engine is lost after the first row, or while it writes its file. */
function lostLater(result: EngineResult, asFile: boolean): EngineResult {
  if (asFile) return { form: "parquet", columns: [], file: () => Promise.reject(new EngineLostError(lostText)) };
  if (result.form !== "rows") throw new Error(`unexpected form: ${result.form}`);
  const { rows } = result;
  async function* untilLost() {
    for await (const row of rows) {
      yield row;
      throw new EngineLostError(lostText);
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
      if (state.fault === "is lost later" || state.fault === "is lost in its file") {
        const asFile = state.fault === "is lost in its file";
        return { ...execution, result: async () => lostLater(await execution.result(), asFile) };
      }
      if (state.fault !== "is lost") return execution;
      return { ...execution, result: () => Promise.reject(new EngineLostError(lostText)) };
    },
  };
  return { kind: failing, state };
}
