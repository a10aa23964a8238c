import type { RunFailure } from "@quern/query-run/record";

/** Labels of a failed run in the metrics. */
export interface FailureLabels {
  readonly error_name: string;
  readonly category: string;
}

/** Error names of DuckDB and of the service, by the category that they usually have. */
const knownNames = {
  USER: [
    "BinderError",
    "CatalogError",
    "ConversionError",
    "InvalidInputError",
    "NotImplementedError",
    "OutOfRangeError",
    "ParserError",
    "PivotValuesChanged",
    "StatementNotAllowed",
    "UnsupportedType",
  ],
  RESOURCE: [
    "LimitExceeded",
    "OutOfMemoryError",
    "QueryRunTimedOut",
    "ResultTooLarge",
    "StorageFull",
    "StorageQuotaExceeded",
  ],
  DATA_SOURCE: ["DataSourceNotFound", "DataSourceUnavailable", "IOError", "InvalidDataSource", "InvalidValue"],
  INTERNAL: ["FatalError", "InternalError", "WorkerLost", "other"],
} as const;

/** Labels that the metrics report from the start. */
export const initialFailures: readonly FailureLabels[] = Object.entries(knownNames).flatMap(([category, names]) =>
  names.map((error_name) => ({ error_name, category })),
);

const reportedNames: ReadonlySet<string> = new Set(Object.values(knownNames).flat());

/**
 * Returns the labels of a failure. An unknown name is `other`, and an unknown category `INTERNAL`: an adapter may use any
 * number of them.
 */
export function failureLabels({ name, data: { category } }: RunFailure): FailureLabels {
  return {
    error_name: reportedNames.has(name) ? name : "other",
    category: Object.hasOwn(knownNames, category) ? category : "INTERNAL",
  };
}
