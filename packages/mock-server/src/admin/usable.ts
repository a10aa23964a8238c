import { issueAt } from "@quern/json-rpc/envelope";
import { invalidParams } from "./contract.ts";

/** Does with a member of the params what the mock may refuse; a refusal is then one of that member. */
export function usable<T>(member: string, value: unknown, expected: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { pointer, received } = issueAt([member], expected, value);
    throw invalidParams([{ pointer, expected, received }], error instanceof Error ? error.message : String(error));
  }
}
