import type { NamespaceState } from "../namespace/namespace-state.ts";
import { defineStub, type StubDefinition } from "../stubs/definition.ts";
import { createStubList } from "../stubs/stub-list.ts";
import { invalidParams, type StubStatementParams, withMember } from "./contract.ts";

/** Expected value of each member, for the error of one that a stub refuses. */
const expectations: Readonly<Record<keyof StubDefinition, string>> = {
  match: "SQL, or a regular expression of ECMAScript",
  rows: "rows that fit their columns",
  fails: "a failure that the service can return",
  after: "a duration",
  afterPolls: "a whole number from 1",
  times: "a whole number from 1",
  sequence: "answers that a stub can give",
  scenario: "a name and states",
  violateContract: "methods of the service, each with an object",
};

/** Creates a stub, and returns its id. @throws MethodError InvalidParams for a definition that is not valid */
export function stubStatement({ stubs }: NamespaceState, { apiKey: _, ...definition }: StubStatementParams): string {
  refuseConflicts(definition);
  const apply = <T>(member: keyof StubDefinition, work: () => T): T =>
    withMember(member, definition[member], expectations[member], work);
  // The first list is temporary, so that a refused definition adds no stub to the namespace.
  defineStub(createStubList().when, definition, apply);
  defineStub(stubs.when, definition, apply);
  return stubs.lastId;
}

function refuseConflicts({ match, rows, fails, after, afterPolls, sequence }: StubDefinition): void {
  const { sql = undefined, pattern = undefined } = typeof match === "string" ? {} : match;
  if (sql !== undefined && pattern !== undefined) throw conflict("match/pattern", "sql", pattern);
  if (rows !== undefined && fails !== undefined) throw conflict("fails", "rows", fails);
  if (after !== undefined && afterPolls !== undefined) throw conflict("afterPolls", "after", afterPolls);
  if (sequence === undefined) return;
  if (rows !== undefined) throw conflict("sequence", "rows", sequence);
  if (fails !== undefined) throw conflict("sequence", "fails", sequence);
}

function conflict(member: string, other: string, value: unknown): Error {
  const expected = `no member together with \`${other}\``;
  return invalidParams([{ pointer: `/${member}`, expected, received: JSON.stringify(value) }]);
}
