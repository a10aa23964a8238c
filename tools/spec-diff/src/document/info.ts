import { isEqual, type Pair } from "../part.ts";
import {
  areLists,
  type Context,
  compareMembers,
  differing,
  labelOf,
  type MemberRule,
  matched,
  nameOf,
  nowhere,
  text,
} from "./context.ts";

const infoChanged = differing("info-changed");

export function compareInfo(pair: Pair, context: Context): void {
  const rules = {
    title: infoChanged,
    version: infoChanged,
    termsOfService: infoChanged,
    contact: infoChanged,
    license: infoChanged,
    description: text,
  };
  compareMembers(pair, rules, context);
}

/** Compares the version of OpenRPC itself. */
export function compareOpenrpc({ old, now }: Pair, { report }: Context): void {
  if (isEqual(old, now)) return;
  const generation = (value: unknown) => String(value).split(".")[0];
  const isSame = generation(old?.value) === generation(now?.value);
  report.add(isSame ? "openrpc-changed" : "openrpc-generation-changed", nowhere, old, now);
}

/** Compares two lists by the names of their items, and the members of the items by rules. */
function compareNamed(
  pair: Pair,
  kind: "server" | "tag" | "link",
  rules: Readonly<Record<string, MemberRule>>,
  context: Context,
): void {
  if (!areLists(pair, context)) return;
  const { pairs, added, removed } = matched(pair, context, nameOf);
  for (const item of added) context.report.add(`${kind}-added`, nowhere, undefined, item, { name: labelOf(item) });
  for (const item of removed) context.report.add(`${kind}-removed`, nowhere, item, undefined, { name: labelOf(item) });
  for (const item of pairs) compareMembers(item, rules, context);
}

export function compareServers(pair: Pair, context: Context): void {
  const changed = differing("server-changed");
  const variable = { default: changed, enum: changed, description: text };
  const variables: MemberRule = (all) =>
    compareMembers(all, {}, context, (one) => compareMembers(one, variable, context));
  compareNamed(pair, "server", { name: text, url: changed, summary: text, description: text, variables }, context);
}

/** Compares the tags of a method. */
export function compareTags(pair: Pair, context: Context): void {
  compareNamed(pair, "tag", { name: text, summary: text, description: text, externalDocs: text }, context);
}

export function compareLinks(pair: Pair, context: Context): void {
  const changed = differing("link-changed");
  const rules = { name: text, summary: text, description: text, method: changed, params: changed, server: changed };
  compareNamed(pair, "link", rules, context);
}
