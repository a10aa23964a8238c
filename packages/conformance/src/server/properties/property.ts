import fc from "fast-check";
import { type Check, problemsIn, relabel, SlowAnswer, StepFailure } from "../check.ts";
import { type Connection, openConnection } from "../connection.ts";
import type { Case, Profile } from "../corpus.ts";
import { sessionFor } from "../corpus-checks.ts";
import type { Variables } from "../placeholders.ts";
import type { Session } from "../session.ts";

/** Server under test, and a run on it that has succeeded, by the names of its members. */
export interface PropertyContext {
  readonly session: Session;
  readonly connection: Connection;
  readonly known: Variables;
}

/** A rule that holds whatever is sent. */
export interface Property<Value> extends Pick<Case, "id" | "level" | "rule" | "source"> {
  readonly profile: Profile;
  /** Generator of the values that are sent. */
  values(session: Session, known: Variables): fc.Arbitrary<Value>;
  /** Sends it. @throws StepFailure, or any error, where the rule does not hold. */
  holds(value: Value, context: PropertyContext): Promise<void>;
  /** Formats a counterexample. @default JSON */
  show?(value: Value): string;
}

export interface PropertyOptions {
  readonly seed: number;
  readonly tries: number;
}

/** Tries a property, and shrinks what it does not hold for. */
export function propertyCheck<Value>(
  property: Property<Value>,
  whole: Session,
  known: () => Promise<Variables>,
  { seed, tries }: PropertyOptions,
): Check {
  const { id, level, rule, source, profile, show = JSON.stringify } = property;
  const session = sessionFor(profile, whole);

  async function run(): Promise<void> {
    const variables = await known();
    let slow: SlowAnswer | undefined;
    const tried = fc.asyncProperty(property.values(session, variables), async (value) => {
      // A slow server cannot be judged by further values, nor by smaller ones.
      if (slow !== undefined) return;
      await using connection = openConnection(session);
      try {
        await property.holds(value, { session, connection, known: variables });
      } catch (error) {
        if (!(error instanceof SlowAnswer)) throw relabel(error, (problem) => withStatus(problem, connection.status()));
        slow = error;
      }
    });
    const limits = { interruptAfterTimeLimit: patienceMs + tries * tryMs, markInterruptAsFailure: false };
    const { failed, interrupted, counterexample, errorInstance, numShrinks } = await fc.check(tried, {
      seed,
      numRuns: tries,
      ...limits,
    });
    if (failed && counterexample === null) throw new StepFailure(["nothing could be made up for it"]);
    if (failed && counterexample !== null) {
      const example = `by ${show(counterexample[0])} (seed ${seed}, shrunk ${numShrinks} times)`;
      throw new StepFailure([...problemsIn(errorInstance), example]);
    }
    if (slow !== undefined) throw slow;
    if (interrupted) throw new SlowAnswer([`${tries} tries take longer than ${limits.interruptAfterTimeLimit} ms`]);
  }
  return { id, level, rule, source, profile, isProperty: true, run };
}

function withStatus(problem: string, status: number | undefined): string {
  return status === undefined || problem.startsWith("HTTP ") ? problem : `HTTP ${status}: ${problem}`;
}

/** Time limit of a property; most of it is for shrinking counterexamples that are slow to answer. */
const patienceMs = 60_000;
const tryMs = 100;
