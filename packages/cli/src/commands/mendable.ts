import { UsageError } from "../cli-error.ts";

/** Errors of a kind are the operator's to mend, and are told as errors of use. */
export async function mendable<T>(kind: new (message: string) => Error, perform: () => T | Promise<T>): Promise<T> {
  try {
    return await perform();
  } catch (error) {
    throw error instanceof kind ? new UsageError(error.message) : error;
  }
}
