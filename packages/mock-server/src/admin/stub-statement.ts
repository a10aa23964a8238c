import type { Namespace } from "../namespace/namespace.ts";
import { defineStub, type StubDefinition } from "../stubs/definition.ts";
import { createStubList } from "../stubs/stub-list.ts";
import { invalidParams, type StubStatementParams, usable } from "./contract.ts";

/** Expected value of each member that a stub may refuse. */
const expectations: Readonly<Record<keyof StubDefinition, string>> = {
  match: "a pattern of ECMAScript",
  rows: "rows that fit their columns",
  fails: "a failure as the service has them",
  after: "a length of time",
  afterPolls: "a whole number from 1",
  times: "a whole number from 1",
  sequence: "answers that a stub can give",
  scenario: "a name and states",
  unsafe: "methods of the service",
};

/** Makes a stub of what JSON says of it, and returns its id. @throws MethodError for what cannot be one. */
export function stubStatement({ stubs }: Namespace, { apiKey: _, ...definition }: StubStatementParams): string {
  refuseBoth(definition);
  const use = <T>(member: keyof StubDefinition, work: () => T): T =>
    usable(member, definition[member], expectations[member], work);
  // A refused definition leaves no stub behind.
  defineStub(createStubList().when, definition, use);
  defineStub(stubs.when, definition, use);
  return stubs.lastId;
}

function refuseBoth({ match, rows, fails, after, afterPolls, sequence }: StubDefinition): void {
  const { sql = undefined, pattern = undefined } = typeof match === "string" ? {} : match;
  if (sql !== undefined && pattern !== undefined) throw notBeside("match/pattern", "sql", pattern);
  if (rows !== undefined && fails !== undefined) throw notBeside("fails", "rows", fails);
  if (after !== undefined && afterPolls !== undefined) throw notBeside("afterPolls", "after", afterPolls);
  if (sequence === undefined) return;
  if (rows !== undefined) throw notBeside("sequence", "rows", sequence);
  if (fails !== undefined) throw notBeside("sequence", "fails", sequence);
}

function notBeside(member: string, other: string, value: unknown): Error {
  const expected = `nothing beside \`${other}\``;
  return invalidParams([{ pointer: `/${member}`, expected, received: JSON.stringify(value) }]);
}
