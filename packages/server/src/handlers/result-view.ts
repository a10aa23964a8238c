import type { ResultColumn } from "@quern/query-run/record";
import { type ResultView, resultView, type ViewMembers } from "@quern/query-run/view";
import { declaredError, invalidParams } from "../common/declared-error.ts";

/**
 * Filters and order with their columns found.
 * @throws {MethodError} InvalidSortColumn for a column that the result does not have, InvalidParams for a filter without a comparison
 */
export function foundView(columns: readonly ResultColumn[], members: ViewMembers): ResultView {
  const view = resultView(columns, members);
  if ("issue" in view) throw invalidParams([view.issue]);
  if (!("unknownColumn" in view)) return view;
  throw declaredError("InvalidSortColumn", { column: view.unknownColumn, columns: columns.map(({ name }) => name) });
}
