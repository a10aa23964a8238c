import type { Namespace } from "../namespaces/namespace.ts";
import type { Matcher } from "../stubs/matcher.ts";
import type { Stub } from "../stubs/stub.ts";
import { createStubList } from "../stubs/stub-list.ts";
import type { UnsafeMethod } from "../unsafe/untruth.ts";
import { invalidParams, type StubStatementParams } from "./contract.ts";
import { usable } from "./usable.ts";

/** Makes a stub of what JSON says of it. @throws MethodError for what cannot be one. */
export function stubStatement({ stubs }: Namespace, params: StubStatementParams): void {
  const matcher = matcherOf(params);
  // What a stub refuses is refused before there is one.
  refine(createStubList().when(matcher), params);
  refine(stubs.when(matcher), params);
}

function matcherOf({ match }: StubStatementParams): Matcher {
  if (typeof match === "string" || match.pattern === undefined) return match;
  const { sql, pattern, ...others } = match;
  if (sql !== undefined) throw notBeside("match/pattern", "sql", pattern);
  return { ...others, sql: usable("match", match, "a pattern of ECMAScript", () => new RegExp(pattern, "i")) };
}

function refine(stub: Stub, { rows, fails, after, afterPolls, unsafe = {} }: StubStatementParams): void {
  if (rows !== undefined && fails !== undefined) throw notBeside("fails", "rows", fails);
  if (after !== undefined && afterPolls !== undefined) throw notBeside("afterPolls", "after", afterPolls);
  if (rows !== undefined) usable("rows", rows, "rows that fit their columns", () => stub.rows(rows));
  if (fails !== undefined) usable("fails", fails, "a failure as the service has them", () => stub.fails(fails));
  if (after !== undefined) stub.after(after);
  if (afterPolls !== undefined) stub.afterPolls(afterPolls);
  // The name that a caller gives is looked at there.
  for (const [method, change] of Object.entries(unsafe))
    usable("unsafe", unsafe, "methods of the service", () => stub.unsafe(method as UnsafeMethod, change));
}

function notBeside(member: string, other: string, value: unknown): Error {
  const expected = `nothing beside \`${other}\``;
  return invalidParams([{ pointer: `/${member}`, expected, received: JSON.stringify(value) }]);
}
