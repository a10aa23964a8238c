import { changeOf, isEqual, textOf } from "../part.ts";
import { compareFlag, compareMembers, differing, type MemberRule, nowhere } from "./context.ts";
import { isRequired } from "./params.ts";

/** Compares a member that generators read to write functions of clients: `x-poll`, `x-page`, `x-cancels`. */
export const compareTrait: MemberRule = ({ old, now }, { report }, name) => {
  if (isEqual(old, now)) return;
  report.add(`trait-${changeOf({ old, now })}`, nowhere, old, now, { name });
};

/** Compares `x-read-only`, which is false by default. */
export const compareReadOnly: MemberRule = (pair, context, name) =>
  compareFlag(pair, context, "trait-added", "trait-removed", name);

const toolText = differing("tool-text-changed");
const toolChanged = differing("tool-changed");

/** Compares `x-tool`, the tool of an agent. */
export const compareTool: MemberRule = (pair, context) => {
  const { report } = context;
  const { old, now } = pair;
  const name = textOf(now ?? old, "name") ?? "";
  if (old === undefined) report.add("tool-added", nowhere, old, now, { name });
  else if (now === undefined) report.add("tool-removed", nowhere, old, now, { name });
  else
    compareMembers(
      pair,
      {
        name: differing("tool-renamed"),
        title: toolText,
        description: toolText,
        params: (params) => compareMembers(params, {}, context, compareArgument),
        result: (result) => compareMembers(result, {}, context, compareOutput),
      },
      context,
      toolChanged,
    );
};

/** Compares an argument, which a caller of the tool sends. */
const compareArgument: MemberRule = (pair, context, name) => {
  const { old, now } = pair;
  if (old === undefined) {
    const rule = isRequired(now) ? "tool-argument-added-required" : "tool-argument-added";
    context.report.add(rule, nowhere, old, now, { name });
  } else if (now === undefined) toolChanged(pair, context, name);
  else compareMembers(pair, { description: toolText }, context, toolChanged);
};

const compareOutput: MemberRule = (pair, context, name) => {
  if (pair.old === undefined) context.report.add("tool-output-added", nowhere, pair.old, pair.now, { name });
  else toolChanged(pair, context, name);
};
