import { randomUUID } from "node:crypto";
import { type Check, relabel, StepFailure } from "./check.ts";
import type { Case, Corpus } from "./corpus.ts";
import { withoutResultSchemas } from "./document.ts";
import type { Variables } from "./placeholders.ts";
import type { Session } from "./session.ts";
import { livenessStep, roundsOf, runSteps } from "./steps.ts";

/** Returns the variables that the named fixtures captured. Each fixture runs once. */
export type Fixtures = (names: readonly string[]) => Promise<Variables>;

export function createFixtures({ fixtures = {} }: Corpus, session: Session): Fixtures {
  const done = new Map<string, Promise<Variables>>();

  async function prepare(name: string): Promise<Variables> {
    const fixture = fixtures[name];
    if (fixture === undefined) throw new StepFailure([`unknown fixture: ${name}`]);
    const given = await all(fixture.given ?? []);
    await using sender = session.createSender();
    const variables = { ...session.variables, unique: randomUUID(), ...given };
    try {
      return await runSteps(fixture.steps, sender, session.contract, variables);
    } catch (error) {
      throw relabel(error, (problem) => `fixture ${name}: ${problem}`);
    }
  }

  function once(name: string): Promise<Variables> {
    const prepared = done.get(name) ?? prepare(name);
    done.set(name, prepared);
    return prepared;
  }

  async function all(names: readonly string[]): Promise<Variables> {
    const captured = await Promise.all(names.map(once));
    return Object.assign({}, ...captured);
  }
  return all;
}

/** Returns the cases of a corpus as checks. */
export function corpusChecks(corpus: Corpus, whole: Session): readonly Check[] {
  const session = sessionFor(corpus.profile, whole);
  const given = createFixtures(corpus, session);
  return corpus.cases.map((one) => {
    const { id, level, rule, source } = one;
    return { id, level, rule, source, profile: corpus.profile, run: () => runCase(one, session, given) };
  });
}

/** Returns a session that checks the claims of a profile. `json-rpc` alone claims no result schema. */
export function sessionFor(profile: Corpus["profile"], session: Session): Session {
  return profile === "json-rpc" ? { ...session, contract: withoutResultSchemas(session.contract) } : session;
}

async function runCase(one: Case, session: Session, given: Fixtures): Promise<void> {
  const { contract } = session;
  const prepared = await given(one.given ?? []);
  for (const round of roundsOf(one, contract)) {
    await using sender = session.createSender();
    const variables = { ...session.variables, ...prepared, ...round, unique: randomUUID() };
    try {
      await runSteps(one.steps, sender, contract, variables);
    } catch (error) {
      const { method = "", example = "" }: Variables = round;
      const where = [method, example].filter(Boolean).join(", ");
      throw where === "" ? error : relabel(error, (problem) => `${where}: ${problem}`);
    }
  }
  if (one.alive !== true) return;
  await using sender = session.createSender();
  await runSteps([livenessStep], sender, contract, session.variables);
}
