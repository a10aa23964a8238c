import type { Check } from "../check.ts";
import type { Corpus } from "../corpus.ts";
import { createFixtures } from "../corpus-checks.ts";
import type { Variables } from "../placeholders.ts";
import type { Session } from "../session.ts";
import { batches } from "./batches.ts";
import { anyBody, notifications } from "./bodies.ts";
import { links } from "./links.ts";
import { acceptedParams, refusedParams, rejectsSomeParams } from "./params.ts";
import { type Property, type PropertyOptions, propertyCheck } from "./property.ts";
import { views } from "./views.ts";

/**
 * Fixture of the corpus that makes a run with a result. Its captured variables, such as `queryRunId`, have the names of
 * the params that they fill.
 */
const fixture = "finishedRun";
/** Fixture of the corpus that makes a run with so many rows that they take several pages. */
const largeFixture = "numberedRun";

/** Returns all properties as checks. Some use the finished runs of the service corpus, if there is one. */
export function propertyChecks(
  corpora: readonly Corpus[],
  session: Session,
  options: PropertyOptions,
): readonly Check[] {
  const corpus = corpora.find(({ profile, fixtures = {} }) => profile === "service" && fixture in fixtures);
  const given = corpus === undefined ? undefined : createFixtures(corpus, session);
  const runOf = async (name: string): Promise<Variables> => (await given?.([name])) ?? {};
  // These properties hold without a run too.
  const anyRun = () => runOf(fixture).catch((): Variables => ({}));
  const check = <Value>(property: Property<Value>, known = anyRun) => propertyCheck(property, session, known, options);
  const methods = [...session.contract.methods.values()];
  const paged = methods.find(({ pages }) => pages);
  const hasLargeRun = corpus?.fixtures?.[largeFixture] !== undefined;
  return [
    ...methods.map((method) => check(acceptedParams(method))),
    ...methods.filter(rejectsSomeParams).map((method) => check(refusedParams(method))),
    check(batches),
    check(notifications),
    check(links),
    ...(paged === undefined ? [] : [check(views(paged), () => runOf(hasLargeRun ? largeFixture : fixture))]),
    check(anyBody),
  ];
}
