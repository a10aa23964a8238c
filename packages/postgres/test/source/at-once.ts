import { type AdmittedStatement, admission } from "../../src/source/gate.ts";

/** Does all slices of a work, and returns its value. */
export function atOnce<T>(work: Generator<undefined, T>): T {
  for (let step = work.next(); ; step = work.next()) if (step.done === true) return step.value;
}

export const admit = (sql: string): AdmittedStatement => atOnce(admission(sql));
