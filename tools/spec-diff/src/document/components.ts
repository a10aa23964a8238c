import { allKeys, isEqual, members, type Pair, type Part } from "../part.ts";
import { createReport } from "../report.ts";
import { type Context, compareMembers, type MemberRule, nowhere } from "./context.ts";

/** A definition that both documents have. */
export type DefinitionRule = (pair: Pair, context: Context, name: string) => void;

/** Compares the definitions, after the methods: changes that these show are not reported again. */
export function compareComponents(pair: Pair, compareSchema: DefinitionRule, context: Context): void {
  const differing: DefinitionRule = (one, _, name) => reportRest(one, name, context);
  const others: MemberRule = (group) => {
    for (const name of allKeys(group.old, group.now)) reportRest(members(group, name), name, context);
  };
  compareMembers(
    pair,
    {
      schemas: (schemas) => compareNames(schemas, compareSchema, (one) => context.isSameSchema(one), context),
      errors: (errors) => compareNames(errors, differing, ({ old, now }) => isEqual(old, now), context),
    },
    context,
    (group, _, name) => (name.startsWith("x-") ? reportRest(group, name, context) : others(group, context, name)),
  );
}

/** Reports a definition that differs, unless a change within it is reported. */
function reportRest({ old, now }: Pair, name: string, { report }: Context): void {
  const pointer = (now ?? old)?.pointer ?? "";
  const isShown = report.changes().some((change) => `${change.pointer}/`.startsWith(`${pointer}/`));
  if (!isEqual(old, now) && !isShown) report.add("definitions-differ", nowhere, old, now, { name });
}

/** Compares definitions from which types of clients are generated, by their names. */
function compareNames(group: Pair, compare: DefinitionRule, isSame: (pair: Pair) => boolean, context: Context): void {
  const { report } = context;
  const pairs = allKeys(group.old, group.now).map((name) => ({ name, ...members(group, name) }));
  if (pairs.length === 0 && !isEqual(group.old, group.now)) report.add("restated", nowhere, group.old, group.now);
  const added = pairs.filter(({ old }) => old === undefined);
  const renamed = new Set<string>();
  for (const { name, old } of pairs.filter(({ now }) => now === undefined)) {
    const other = added.find((one) => !renamed.has(one.name) && isSame({ old, now: one.now }));
    if (other === undefined) report.add("definition-removed", nowhere, old, undefined, { name });
    else {
      renamed.add(other.name);
      report.add("definition-renamed", nowhere, old, other.now, { old: name, now: other.name });
    }
  }
  for (const { name, now } of added)
    if (!renamed.has(name)) report.add("definition-added", nowhere, undefined, now, { name });
  for (const { name, old, now } of pairs)
    if (old !== undefined && now !== undefined) compare({ old, now }, context, name);
}

/** Reports a schema that no method uses. */
export function compareUnused(old: Part, now: Part, name: string, context: Context): void {
  const report = createReport();
  context.reportingTo(report).compareSchemas({ old, now }, nowhere);
  const changes = report.changes();
  if (changes.some(({ level }) => level !== "patch"))
    context.report.add("unused-definition-changed", nowhere, old, now, { name });
  else if (changes.length > 0) context.report.add("text", nowhere, old, now, { name });
}
