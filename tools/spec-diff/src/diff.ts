import { compareComponents, compareUnused, type DefinitionRule } from "./document/components.ts";
import { type Context, compareMembers, elsewhere, text } from "./document/context.ts";
import { compareErrorNames, compareErrorTraits } from "./document/errors.ts";
import { compareInfo, compareOpenrpc, compareServers } from "./document/info.ts";
import { compareMethods } from "./document/methods.ts";
import { members, type Pair, type Part } from "./part.ts";
import { type Change, createReport, type Place, type Report } from "./report.ts";
import { type Level, largest } from "./rules.ts";
import type { Walk } from "./schema/comparison.ts";
import { createEquality } from "./schema/equality.ts";
import { createSchemaDiff } from "./schema/schema-diff.ts";
import { createUnchanged } from "./schema/unchanged.ts";

/** Returns every change between two OpenRPC documents, the largest first. A change that no rule knows is major. */
export function diffDocuments(oldDocument: unknown, newDocument: unknown): readonly Change[] {
  const report = createReport();
  const uses = createUses();
  const context = createContext(oldDocument, newDocument, report, uses);
  const documents: Pair = { old: { value: oldDocument, pointer: "" }, now: { value: newDocument, pointer: "" } };
  compareMembers(
    documents,
    {
      openrpc: compareOpenrpc,
      info: compareInfo,
      servers: compareServers,
      methods: compareMethods,
      components: elsewhere,
      externalDocs: text,
      "x-errors": compareErrorTraits,
      "x-known-error-codes": compareErrorNames,
    },
    context,
  );
  const compareDefinition: DefinitionRule = ({ old, now }, _, name) => {
    if (old === undefined || now === undefined) return;
    const places = uses.of(old, now);
    for (const place of places) context.compareSchemas({ old, now }, place);
    if (places.length === 0) compareUnused(old, now, name, context);
  };
  compareComponents(members(documents, "components"), compareDefinition, context);
  const order: readonly Level[] = ["major", "minor", "patch"];
  return order.flatMap((level) => report.changes().filter((change) => change.level === level));
}

/** Returns the level of all changes together; undefined without a change. */
export function levelOfChanges(changes: readonly Change[]): Level | undefined {
  return largest(changes.map(({ level }) => level));
}

/** The places where definitions are used. */
interface Uses {
  note(target: Part, place: Place): void;
  of(...parts: readonly Part[]): readonly Place[];
}

function createUses(): Uses {
  const places = new Map<string, Map<string, Place>>();
  return {
    note({ pointer }, place) {
      const known = places.get(pointer) ?? new Map<string, Place>();
      places.set(pointer, known.set(`${place.direction} ${place.method}`, place));
    },
    of: (...parts) => {
      const all = parts.flatMap(({ pointer }) => [...(places.get(pointer) ?? [])]);
      return [...new Map(all).values()];
    },
  };
}

function createContext(
  oldDocument: unknown,
  newDocument: unknown,
  report: Report,
  uses: Uses,
  equality = createEquality(),
  unchanged = createUnchanged(oldDocument, newDocument),
): Context {
  const diffs = new Map<string, Walk["compare"]>();
  const diffOf = (place: Place): Walk["compare"] => {
    const { direction, method } = place;
    const key = `${direction} ${method}`;
    const onTarget = (target: Part) => uses.note(target, place);
    const diff =
      diffs.get(key) ??
      createSchemaDiff({ oldDocument, newDocument, report, direction, method, onTarget, equality, unchanged });
    diffs.set(key, diff);
    return diff;
  };
  return {
    oldDocument,
    newDocument,
    report,
    compareSchemas: ({ old, now }, place) => {
      diffOf(place)(old, now);
    },
    isSameSchema: ({ old, now }) =>
      !createSchemaDiff({ oldDocument, newDocument, report: createReport(), direction: "send", equality, unchanged })(
        old,
        now,
      ),
    reportingTo: (other) => createContext(oldDocument, newDocument, other, createUses(), equality, unchanged),
  };
}
