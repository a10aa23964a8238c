import { QuernError } from "./quern-error.ts";

type Validation<T> =
  | { readonly value: T; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] };

/**
 * What a row must look like: any Standard Schema (zod, valibot, arktype and others).
 * @see https://standardschema.dev
 */
export interface RowSchema<Row> {
  readonly "~standard": { readonly validate: (value: unknown) => Validation<Row> | Promise<Validation<Row>> };
}

/** @throws {QuernError} `protocol` with `data.issues` and `data.row`, the row's number from 0. */
export async function validRow<Row>(schema: RowSchema<Row>, row: unknown, number: number): Promise<Row> {
  const outcome = await schema["~standard"].validate(row);
  if (!outcome.issues) return outcome.value;
  const [issue] = outcome.issues;
  throw new QuernError("protocol", `row ${number} is not as its schema says: ${issue?.message}`, {
    data: { row: number, issues: outcome.issues },
  });
}
