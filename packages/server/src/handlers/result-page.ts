import { isStatementError, type RowRange } from "@quern/adapter";
import { type PageAnswer, type PageTask, rowIndexColumn } from "@quern/duckdb";
import type { Piece } from "@quern/json-rpc/handler";
import { getQueryRunResultsParamsDefaults as defaults } from "@quern/protocol/defaults";
import type { GetQueryRunResultsParams, QueryRun } from "@quern/protocol/types";
import { firstRowOf, requestedPage } from "@quern/query-run/page";
import type { Instant, ResultColumn, RunRecord } from "@quern/query-run/record";
import {
  columnMembers,
  isRefusal,
  type ResultView,
  resultView,
  type ViewMembers,
  type ViewRefusal,
} from "@quern/query-run/view";
import { timestamp, toQueryRun } from "@quern/query-run/wire";
import { declaredError, invalidParams } from "../common/declared-error.ts";
import type { LimitsInForce } from "../common/limits.ts";
import { rateLimited } from "../identity/rate-limit.ts";
import { cellPage } from "../results/cell-page.ts";
import { resultName } from "../results/result-store.ts";
import { openResult, type ResultDependencies } from "../runs/open-result.ts";
import type { Context, Service } from "./context.ts";
import { findResult } from "./lookup.ts";

const supportedFormats = ["csv", "json"] as const;
type Format = (typeof supportedFormats)[number];

/** Time after which a caller with too many pages tries again, in milliseconds. */
const retryAfterMs = 1_000;

/** Parts of the service that read a page. */
export type PageDependencies = ResultDependencies &
  Pick<Service, "clock" | "csvRowIndex" | "limits" | "reader" | "statementTexts">;

/**
 * Reads a page of a run that the caller can see.
 * @returns the result of `getQueryRunResults` as JSON text
 * @throws {MethodError} the errors that the method declares for a page
 */
export async function resultPage(
  run: RunRecord,
  params: Omit<GetQueryRunResultsParams, "queryRunId">,
  { principal, signal }: Context,
  service: PageDependencies,
): Promise<readonly Piece[]> {
  const page = requestedPage(params.page);
  if ("issue" in page) throw invalidParams([page.issue]);
  const format = supportedFormat(params.format ?? defaults.format);
  const now = service.clock.now();
  const result = findResult(run, now);
  const rowIndex = format === "csv" && service.csvRowIndex;
  const shown = rowIndex ? [...result.columns, rowIndexColumn] : result.columns;
  const sql = await service.statementTexts.of(principal.tenantId, run.sqlStatementId);
  const view = findView(result.columns, params);
  const task: Omit<PageTask, "paths"> = {
    result: resultName(run),
    columns: result.columns,
    rowCount: result.rowCount,
    page,
    format,
    rowIndex,
    ...view,
    maxBytes: service.limits.maxPageBytes,
  };
  const small = result.cells && cellPage(result.cells, task);
  const answer = small ?? (await pageOfFile(run, task, signal, service));
  if ("maxPageSize" in answer) throw declaredError("RequestedPageSizeTooLarge", answer);
  if ("rowNumber" in answer) throw declaredError("RowTooLarge", answer);
  const expiresAt = run.expiresAt === null ? {} : { expiresAt: timestamp(run.expiresAt) };
  const members = answerMembers(toQueryRun(run, now), { ...columnMembers(shown), ...expiresAt }, sql, format);
  return [`{${members},"page":${JSON.stringify(answer.position)},"rows":`, answer.rows, "}"];
}

/** Reads a page from the file of a result. */
async function pageOfFile(
  run: RunRecord,
  task: Omit<PageTask, "paths">,
  signal: AbortSignal,
  service: PageDependencies,
): Promise<PageAnswer> {
  const opened = await openResult(run, service, rowsOf(task));
  if (opened === undefined) throw missingResult(run, service.clock.now());
  const page = service.reader.page(run.tenantId, { ...task, paths: opened.paths }, signal);
  const slowPart = task.conditions.length > 0 ? "/filters" : "/sortBy";
  return withDeclaredErrors(page, slowPart, service.limits).finally(opened.release);
}

/** Returns the error of a result whose files are missing before its expiry. */
export function missingResult({ id }: RunRecord, now: Instant): Error {
  const cause = new Error(`the result of run ${id} is missing before its expiry`); // logged, not sent to the client
  return declaredError("QueryRunResultsExpired", { archivedAt: timestamp(now) }, { cause });
}

/**
 * Returns the rows that a page reads: its own, and those of the next page, which the reader reads in advance. Undefined
 * for a filtered or sorted page, which reads all rows.
 */
function rowsOf({ page, conditions, sortKeys }: Omit<PageTask, "paths">): RowRange | undefined {
  if (conditions.length > 0 || sortKeys.length > 0) return undefined;
  return { first: firstRowOf(page), count: 2 * page.size };
}

function supportedFormat(format: string): Format {
  const supported = supportedFormats.find((each) => each === format);
  if (supported === undefined) throw declaredError("ResultFormatNotSupported", { supported: supportedFormats });
  return supported;
}

/**
 * Replaces the column names in filters and sort order by column indexes.
 * @throws {MethodError} InvalidSortColumn for an unknown column, InvalidParams for a filter without a comparison
 */
export function findView(columns: readonly ResultColumn[], members: ViewMembers): ResultView {
  return accepted(resultView(columns, members), columns);
}

/** Returns the plan of a call. @throws {MethodError} InvalidSortColumn for an unknown column, InvalidParams for other refusals */
export function accepted<Plan extends object>(plan: Plan | ViewRefusal, columns: readonly ResultColumn[]): Plan {
  if (!isRefusal(plan)) return plan;
  throw "issue" in plan ? invalidParams([plan.issue]) : unknownColumn(plan, columns);
}

/** Returns the error of a name that no column of a result has. @param refusal the name, and the member that has it */
export function unknownColumn(
  { unknownColumn: column, member }: { readonly unknownColumn: string; readonly member: string },
  columns: readonly ResultColumn[],
): Error {
  return declaredError("InvalidSortColumn", { member, column, columns: columns.map(({ name }) => name) });
}

/** Returns the members before `page` and `rows` as JSON text without the outer braces. */
function answerMembers(run: QueryRun, first: object, sql: string | null, format: Format): string {
  const members = {
    ...first,
    sql,
    format,
    originalQueryRun: run,
    redirectedToQueryRun: null,
  };
  return JSON.stringify(members).slice(1, -1);
}

/**
 * Waits for a page or a profile, and converts errors of the reader to errors of the OpenRPC document.
 * @param slowPart pointer of the member that makes a read slow
 */
export async function withDeclaredErrors<T>(
  read: Promise<T>,
  slowPart: string,
  { filteredPageTimeoutSeconds }: Pick<LimitsInForce, "filteredPageTimeoutSeconds">,
): Promise<T> {
  try {
    return await read;
  } catch (error) {
    // The lines after the first quote the internal statement of the reader.
    const [received = ""] = error instanceof Error ? error.message.split("\n", 1) : [];
    const refused = (pointer: string, expected: string): Error => invalidParams([{ pointer, expected, received }]);
    switch (isStatementError(error) && error.failure.name) {
      case "ValueError":
        throw refused("/filters", "values that can be compared with their columns");
      case "PageTimedOut":
        throw refused(
          slowPart,
          `a page that takes at most ${filteredPageTimeoutSeconds} seconds; filter and sort in the statement instead`,
        );
      case "TooManyGroups":
        throw refused("/groupBy", "columns with at most 5,000,000 groups; use bins or a unit");
      case "SumTooLarge":
        throw refused("/measures", "sums of at most 38 digits");
      case "SummaryTooLarge":
        throw refused("/limit", "a number of groups that fit into a page");
      case "TooManyPages":
        throw rateLimited(retryAfterMs);
      default:
        throw declaredError("DuckDBError", undefined, { cause: error });
    }
  }
}
