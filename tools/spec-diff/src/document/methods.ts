import { memberOf, members, type Pair } from "../part.ts";
import { createReport, type Place } from "../report.ts";
import {
  areLists,
  type Context,
  compareMembers,
  differing,
  elsewhere,
  followedPair,
  labelOf,
  matched,
  nameOf,
  nowhere,
  reordered,
  text,
} from "./context.ts";
import { compareErrors } from "./errors.ts";
import { compareLinks, compareServers, compareTags } from "./info.ts";
import {
  compareDeprecation,
  compareDescriptor,
  compareParams,
  compareStructure,
  isRequired,
  structureOf,
} from "./params.ts";
import { compareReadOnly, compareTool, compareTrait } from "./traits.ts";

export function compareMethods(pair: Pair, context: Context): void {
  if (!areLists(pair, context)) return;
  const { report } = context;
  const { pairs, added, removed } = matched(pair, context, nameOf);
  const renamed = removed.flatMap((old) => {
    const now = added.find((one) => isSameMethod({ old, now: one }, context));
    return now === undefined ? [] : [{ old, now }];
  });
  for (const { old, now } of renamed)
    report.add("method-renamed", nowhere, memberOf(old, "name"), memberOf(now, "name"));
  for (const now of added.filter((item) => !renamed.some((one) => one.now === item)))
    report.add("method-added", nowhere, undefined, now, { name: labelOf(now) });
  for (const old of removed.filter((item) => !renamed.some((one) => one.old === item)))
    report.add("method-removed", nowhere, old, undefined, { name: labelOf(old) });
  if (reordered(pairs).length > 0) report.add("methods-reordered", nowhere, pair.old, pair.now);
  for (const method of [...pairs, ...renamed]) compareMethod(method, context);
}

/** Returns true if nothing that a caller can see differs, except the name. */
function isSameMethod(pair: Pair, context: Context): boolean {
  const report = createReport();
  compareMethod(pair, context.reportingTo(report));
  return report.changes().every(({ level }) => level === "patch");
}

function compareMethod(pair: Pair, context: Context): void {
  const method = nameOf({ value: undefined, pointer: "", ...(pair.now ?? pair.old) });
  const send: Place = { direction: "send", method };
  const receive: Place = { direction: "receive", method };
  const structure = members(pair, "paramStructure");
  const structures = { old: structureOf(structure.old), now: structureOf(structure.now) };
  compareMembers(
    pair,
    {
      name: elsewhere,
      summary: text,
      description: text,
      externalDocs: text,
      examples: differing("examples"),
      tags: compareTags,
      links: compareLinks,
      servers: compareServers,
      deprecated: compareDeprecation,
      paramStructure: (one) => compareStructure(one, context, send),
      params: (params) => compareParams(params, structures, context, send),
      result: (result) => compareResult(result, context, receive),
      errors: (errors) => compareErrors(errors, context, receive),
      "x-poll": compareTrait,
      "x-page": compareTrait,
      "x-cancels": compareTrait,
      "x-read-only": compareReadOnly,
      "x-tool": compareTool,
    },
    context,
  );
}

function compareResult(pair: Pair, context: Context, place: Place): void {
  const { report } = context;
  if (pair.old === undefined) report.add("result-added", place, pair.old, pair.now);
  else if (pair.now === undefined) report.add("result-removed", place, pair.old, pair.now);
  else {
    const results = followedPair(pair, context);
    const [was, is] = [isRequired(results.old), isRequired(results.now)];
    if (was !== is) report.add(is ? "result-required" : "result-optional", place, results.old, results.now);
    compareDescriptor(results, context, place, text);
  }
}
