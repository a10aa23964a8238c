import {
  EngineLostError,
  isEngineLostError,
  isStatementError,
  StatementError,
  type StatementFailure,
} from "@quern/adapter";
import pg from "pg";
import { isConnectionFailure } from "../store/outage.ts";
import type { NumberedStatement } from "./parameters.ts";

/** Error names by SQLSTATE, or by its class: the first two characters. */
const names: Readonly<Record<string, string>> = {
  "22": "DataError",
  "22012": "DivisionByZero",
  "2201B": "InvalidRegularExpression",
  "23": "IntegrityError",
  "25006": "StatementNotAllowed",
  "42": "SyntaxError",
  "42501": "InsufficientPrivilege",
  "42703": "UndefinedColumn",
  "42804": "DatatypeMismatch",
  "42883": "UndefinedFunction",
  "42P01": "UndefinedTable",
  "0A": "FeatureNotSupported",
  "28": "AccessDenied",
  "3D": "UndefinedDatabase",
  "3F": "UndefinedSchema",
  "53": "InsufficientResources",
  "54": "LimitExceeded",
  "55P03": "LockNotAvailable",
  "57014": "QueryCanceled",
};

const userClasses: ReadonlySet<string> = new Set(["0A", "10", "20", "21", "22", "23", "25", "2B", "42", "3F", "P0"]);
const resourceClasses: ReadonlySet<string> = new Set(["40", "53", "54", "55", "57"]);

/**
 * Converts an error of the client library.
 * @param parsed text in which PostgreSQL reports the position of the error. @default the position is not reported
 */
export function sourceError(error: unknown, parsed?: NumberedStatement): unknown {
  if (isStatementError(error) || isEngineLostError(error)) return error;
  // Class 08 of a statement is a connection of PostgreSQL to another server, such as that of a foreign table.
  const isOfStatement = error instanceof pg.DatabaseError && error.code?.startsWith("08");
  if (isConnectionFailure(error) && !isOfStatement) return connectionLost(error);
  if (error instanceof pg.DatabaseError) return new StatementError(failureOf(error, parsed));
  return error;
}

/** Returns the error of a connection that cannot be used, so that the run is executed again. */
export function connectionLost(error: unknown): EngineLostError {
  const first = error instanceof AggregateError ? error.errors[0] : error;
  const reason = first instanceof Error ? first.message : first;
  return new EngineLostError(`the connection to PostgreSQL failed: ${reason}`, { cause: error });
}

function failureOf({ code = "", message, position }: pg.DatabaseError, parsed?: NumberedStatement): StatementFailure {
  const group = code.slice(0, 2);
  const category = userClasses.has(group) ? "USER" : resourceClasses.has(group) ? "RESOURCE" : "DATA_SOURCE";
  // The position counts code points from 1.
  const offset = position === undefined ? undefined : parsed?.origin(utf16Offset(parsed.text, Number(position) - 1));
  return {
    name: names[code] ?? names[group] ?? "PostgresError",
    message: `${message} (SQLSTATE ${code})`,
    data: {
      category,
      engine: "postgres",
      retryable: category === "RESOURCE",
      ...(offset !== undefined && { position: offset }),
    },
  };
}

function utf16Offset(text: string, codePoints: number): number {
  let offset = 0;
  for (let index = 0; index < codePoints && offset < text.length; index += 1)
    offset += (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
  return offset;
}
