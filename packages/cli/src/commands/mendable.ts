import { UsageError } from "../cli-error.ts";

/** Converts errors of a class, which the operator can correct, to usage errors. */
export async function mendable<T>(kind: new (message: string) => Error, perform: () => T | Promise<T>): Promise<T> {
  try {
    return await perform();
  } catch (error) {
    throw error instanceof kind ? new UsageError(error.message) : error;
  }
}
