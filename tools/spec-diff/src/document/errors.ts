import { allKeys, changeOf, isEqual, memberOf, members, type Pair } from "../part.ts";
import type { Place } from "../report.ts";
import {
  areLists,
  type Context,
  compareMembers,
  differing,
  elsewhere,
  type Item,
  type ItemPair,
  matched,
  nowhere,
  text,
} from "./context.ts";

const errorText = differing("error-text-changed", "receive");

/** Compares the errors that a method can answer with, by their codes. */
export function compareErrors(pair: Pair, context: Context, place: Place): void {
  if (!areLists(pair, context)) return;
  const { report } = context;
  const { pairs, added, removed } = matched(pair, context, (item) => JSON.stringify(memberOf(item, "code")?.value));
  const recoded = removed.flatMap((old): ItemPair[] => {
    const now = added.find((one) => labelOf(one) === labelOf(old));
    return now === undefined ? [] : [{ old, now }];
  });
  for (const now of added.filter((item) => !recoded.some((one) => one.now === item)))
    report.add("error-added", place, undefined, now, { name: labelOf(now) });
  for (const old of removed.filter((item) => !recoded.some((one) => one.old === item)))
    report.add("error-removed", place, old, undefined, { name: labelOf(old) });
  for (const { old, now } of recoded) {
    const codes = members({ old, now }, "code");
    report.add("error-code-changed", place, codes.old, codes.now, { name: labelOf(now) });
  }
  for (const error of [...pairs, ...recoded])
    compareMembers(error, { code: elsewhere, message: errorText, data: errorText }, context);
}

/** Returns the name of an error: that of its definition, or else its message. */
function labelOf(error: Item): string {
  const name = /^\/components\/errors\/([^/]+)$/.exec(error.pointer)?.[1];
  return name ?? String(memberOf(error, "message")?.value ?? memberOf(error, "code")?.value);
}

/** Compares `x-errors`, which describes the errors by the names of their definitions. */
export function compareErrorTraits(pair: Pair, context: Context): void {
  const place: Place = { direction: "receive" };
  compareMembers(pair, {}, context, ({ old, now }, _, name) => {
    if (old === undefined) context.report.add("error-trait-added", nowhere, old, now, { name });
    else if (now === undefined) context.report.add("error-trait-removed", nowhere, old, now, { name });
    else
      compareMembers(
        { old, now },
        {
          description: text,
          hint: text,
          toolHint: text,
          httpStatus: (status) => compareStatus(status, context, place),
          data: (data) => compareData(data, context, place),
        },
        context,
      );
  });
}

function compareStatus({ old, now }: Pair, { report }: Context, place: Place): void {
  const [was, is] = [old?.value ?? 200, now?.value ?? 200];
  if (was !== is) report.add("error-status-changed", place, old, now, { old: was, now: is });
  else if (!isEqual(old, now)) report.add("restated", nowhere, old, now);
}

function compareData(pair: Pair, context: Context, place: Place): void {
  const { old, now } = pair;
  if (old === undefined) context.report.add("error-data-added", place, old, now);
  else if (now === undefined) context.report.add("error-data-removed", place, old, now);
  else context.compareSchemas(pair, place);
}

/** Compares `x-known-error-codes`, the names of codes. */
export function compareErrorNames(pair: Pair, { report }: Context): void {
  for (const code of allKeys(pair.old, pair.now)) {
    const names = members(pair, code);
    if (isEqual(names.old, names.now)) continue;
    report.add(`error-name-${changeOf(names)}`, nowhere, names.old, names.now, { name: code });
  }
}
