import fc from "fast-check";
import { type Check, problemsIn } from "../check.ts";
import type { Case, Profile } from "../corpus.ts";
import type { Variables } from "../placeholders.ts";
import type { Session } from "../session.ts";
import { createTalk, type Talk } from "../talk.ts";

/** What a property knows of the server: how to talk to it, and a run that has succeeded, by the names of members. */
export interface World {
  readonly session: Session;
  readonly talk: Talk;
  readonly known: Variables;
}

/** A rule that holds whatever is sent. */
export interface Property<Value> extends Pick<Case, "id" | "level" | "rule" | "source"> {
  readonly profile: Profile;
  /** What may be sent. */
  values(session: Session, known: Variables): fc.Arbitrary<Value>;
  /** Sends it. @throws StepFailure, or any error, where the rule does not hold. */
  holds(value: Value, world: World): Promise<void>;
  /** How a counterexample is told; as JSON if left out. */
  show?(value: Value): string;
}

export interface Trying {
  readonly seed: number;
  readonly tries: number;
}

/** Tries a property, and shrinks what it does not hold for. */
export function propertyCheck<Value>(
  property: Property<Value>,
  session: Session,
  known: () => Promise<Variables>,
  { seed, tries }: Trying,
): Check {
  const { id, level, rule, source, profile, show = JSON.stringify } = property;

  async function problems(): Promise<readonly string[]> {
    try {
      const variables = await known();
      const tried = fc.asyncProperty(property.values(session, variables), async (value) => {
        await using talk = createTalk(session);
        await property.holds(value, { session, talk, known: variables });
      });
      const limits = { interruptAfterTimeLimit: patienceMs + tries * tryMs, markInterruptAsFailure: false };
      const { failed, interrupted, counterexample, errorInstance, numShrinks } = await fc.check(tried, {
        seed,
        numRuns: tries,
        ...limits,
      });
      if (!failed) return interrupted ? [`it could not be tried ${tries} times in time`] : [];
      if (counterexample === null) return ["nothing could be made up for it"];
      return [...problemsIn(errorInstance), `by ${show(counterexample[0])} (seed ${seed}, shrunk ${numShrinks} times)`];
    } catch (error) {
      return problemsIn(error);
    }
  }
  return { id, level, rule, source, profile, problems };
}

/** How long a property may take, most of it for shrinking what is slow to answer. */
const patienceMs = 60_000;
const tryMs = 100;
