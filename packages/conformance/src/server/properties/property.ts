import fc from "fast-check";
import { type Check, problemsIn, relabel, SlowAnswer, StepFailure } from "../check.ts";
import { type Connection, openConnection } from "../connection.ts";
import type { Case, Profile } from "../corpus.ts";
import { sessionFor } from "../corpus-checks.ts";
import type { Variables } from "../placeholders.ts";
import type { Session } from "../session.ts";

/**
 * Server under test. `known` has values of a run on it that has succeeded, by the names of params, such as
 * `queryRunId`. It is empty if the property needs no run and none could be made.
 */
export interface PropertyContext {
  readonly session: Session;
  readonly connection: Connection;
  readonly known: Variables;
}

/** Rule that holds for all values of a generator. */
export interface Property<Value> extends Pick<Case, "id" | "level" | "rule" | "source"> {
  readonly profile: Profile;
  /** Generates the values to send. */
  values(session: Session, known: Variables): fc.Arbitrary<Value>;
  /** Sends a value. @throws StepFailure, or another error, if the rule is broken */
  holds(value: Value, context: PropertyContext): Promise<void>;
  /** Formats a counterexample. @default JSON */
  show?(value: Value): string;
}

export interface PropertyOptions {
  readonly seed: number;
  /** Number of values to try. */
  readonly tries: number;
}

/** Returns a check that tries a property with random values and shrinks a counterexample. */
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
      // Further or smaller values give no verdict on a slow server.
      if (slow !== undefined) return;
      await using connection = openConnection(session);
      try {
        await property.holds(value, { session, connection, known: variables });
      } catch (error) {
        if (!(error instanceof SlowAnswer)) throw relabel(error, (problem) => withStatus(problem, connection.status()));
        slow = error;
      }
    });
    const limits = { interruptAfterTimeLimit: shrinkingMs + tries * tryMs, markInterruptAsFailure: false };
    const { failed, interrupted, counterexample, errorInstance, numShrinks } = await fc.check(tried, {
      seed,
      numRuns: tries,
      ...limits,
    });
    if (failed && counterexample === null) throw new StepFailure(["no test value could be generated"]);
    if (failed && counterexample !== null) {
      const example = `counterexample: ${show(counterexample[0])} (seed ${seed}, shrunk ${numShrinks} times)`;
      throw new StepFailure([...problemsIn(errorInstance), example]);
    }
    if (slow !== undefined) throw slow;
    if (interrupted) throw new SlowAnswer([`${tries} tries took longer than ${limits.interruptAfterTimeLimit} ms`]);
  }
  return { id, level, rule, source, profile, isProperty: true, run };
}

function withStatus(problem: string, status: number | undefined): string {
  return status === undefined || problem.startsWith("HTTP ") ? problem : `HTTP ${status}: ${problem}`;
}

/** Time limit of a property in milliseconds: a fixed part for shrinking slow counterexamples, and a part for each try. */
const shrinkingMs = 60_000;
const tryMs = 100;
