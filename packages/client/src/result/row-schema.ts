import { QuernError } from "../wire/quern-error.ts";

type Validation<T> =
  | { readonly value: T; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] };

/**
 * Schema of a row: any Standard Schema (zod, valibot, arktype and others).
 * @see https://standardschema.dev
 */
export interface RowSchema<Row> {
  readonly "~standard": { readonly validate: (value: unknown) => Validation<Row> | Promise<Validation<Row>> };
}

/**
 * Validates a row and returns the output of its schema.
 * @param number Number of the row, from 0.
 * @throws {QuernError} `protocol` with `data.row` and `data.issues` if the row does not match the schema.
 */
export async function parseRow<Row>(
  schema: RowSchema<Row>,
  row: unknown,
  number: number,
  queryRunId: string,
): Promise<Row> {
  const outcome = await schema["~standard"].validate(row);
  if (!outcome.issues) return outcome.value;
  const { issues } = outcome;
  const { message, path: [segment] = [] } = issues[0] ?? {};
  const column = (segment as { readonly key?: unknown } | undefined)?.key ?? segment;
  const text = [`row ${number}`, column, message].filter(Boolean).join(": ");
  throw new QuernError("protocol", text, { data: { row: number, issues }, queryRunId });
}
