import { StepFailure } from "../check.ts";
import type { Contract } from "../document.ts";
import { type JsonObject, shown } from "../json.ts";
import { agreementBy } from "../named-members.ts";
import { runsIn } from "../schema-walk.ts";

/** Watches runs wherever they stand in results: a life goes forward only, and what has ended stays as it is. */
export interface RunObserver {
  /** @throws StepFailure */
  observe(method: string, result: unknown): void;
}

/** Says when the record was last written, which may be at any time. */
const volatile = "updatedAt";

export function createRunObserver(contract: Contract): RunObserver {
  const agree = agreementBy(contract);
  const final = new Set([...contract.methods.values()].flatMap(({ poll }) => poll?.final ?? []));
  const last = new Map<string, JsonObject>();

  function observeRun(run: JsonObject): void {
    const id = String(run.id);
    const before = last.get(id);
    last.set(id, run);
    refuseEarlier(id, run);
    if (before === undefined) return;
    if (!final.has(before.state)) {
      refuseReturn(id, before, run);
      return;
    }
    for (const [name, value] of Object.entries(before)) {
      const isLost = value !== null && run[name] === null;
      if (name !== volatile && (isLost || !agree({ [name]: value }, { [name]: run[name] })))
        throw new StepFailure([
          `the run ${id} has ended, and its ${name} was ${shown(value)} and is ${shown(run[name])}`,
        ]);
    }
  }

  return {
    observe(method, result) {
      for (const run of runsIn(contract, contract.methods.get(method)?.result, result)) observeRun(run);
    },
  };
}

/** Nothing becomes of a run before it was created. */
function refuseEarlier(id: string, run: JsonObject): void {
  const createdAt = String(run.createdAt ?? "");
  for (const [name, value] of Object.entries(run)) {
    if (name.endsWith("At") && typeof value === "string" && Date.parse(value) < Date.parse(createdAt))
      throw new StepFailure([`the run ${id} was created at ${createdAt}, and its ${name} is ${value}`]);
  }
}

/** A run that has not ended goes forward: an instant that is known stays, and so does what was asked. */
function refuseReturn(id: string, before: JsonObject, run: JsonObject): void {
  for (const [name, value] of Object.entries(before)) {
    if (name.endsWith("At") && name !== volatile && value !== null && run[name] === null)
      throw new StepFailure([`the run ${id} goes back: its ${name} was ${shown(value)}`]);
  }
}
