import { issueAt, type ServedMethod } from "@quern/json-rpc/envelope";
import { declaredErrors } from "@quern/json-rpc/handler";
import { type SchemaTable, validator } from "@quern/protocol/validator";
import document from "@quern/spec/mock-admin.json" with { type: "json" };
import type { FaultOptions, FaultyMethod } from "../faults/schedule.ts";
import type { RecordedCall } from "../history/history.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { KeyOption } from "../mock-server.ts";
import type { NamespaceOptions } from "../namespace/options.ts";
import type { Recording } from "../recording/recording.ts";
import type { StubDefinition } from "../stubs/definition.ts";
import type { ListedStub } from "../stubs/stub-list.ts";
import type { ClockOptions } from "../time/clock.ts";
import type { Duration } from "../time/duration.ts";
import { advisedSchema } from "./advised-schema.ts";

/** Errors as the document declares them. */
export const { declaredError, invalidParams } = declaredErrors(document.components.errors);

/** Does with a member of the params what the mock may refuse. @throws MethodError with the refusal, as one of that member. */
export function usable<T>(member: string, value: unknown, expected: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { pointer, received } = issueAt([member], expected, value);
    throw invalidParams([{ pointer, expected, received }], error instanceof Error ? error.message : String(error));
  }
}

interface OfNamespace {
  readonly apiKey: string;
}

interface CreateNamespaceParams
  extends KeyOption,
    Pick<NamespaceOptions, "seed" | "strict" | "shake" | "maxPageBytes" | "record" | "replay"> {
  readonly clock?: Omit<ClockOptions, "startAt"> & { readonly startAt?: string };
}

export interface StubStatementParams extends OfNamespace, StubDefinition {}

interface OfStub {
  readonly stubId: string;
}

/** Calls of a method with these params among others; all calls where neither is given. */
interface CallFilter extends OfNamespace {
  readonly method?: string;
  readonly params?: object;
}

interface GetHistoryResult {
  readonly calls: readonly (Omit<RecordedCall, "at"> & { readonly at: string })[];
  readonly unexpected: readonly string[];
  readonly unsafe: readonly string[];
  readonly unmetFaults: readonly string[];
  readonly unusedStubs: readonly string[];
}

type Empty = Readonly<Record<string, never>>;
type Now = { readonly now: string };

// The document's own schemas are tables but for their references, which become lookups.
const schemas: Readonly<Record<string, SchemaTable>> = JSON.parse(
  JSON.stringify(document.components.schemas),
  (_, value) => (typeof value?.$ref === "string" ? { ref: () => schemaOf(value) } : value),
);

function schemaOf({ $ref }: { readonly $ref: string }): SchemaTable {
  return schemas[$ref.slice($ref.lastIndexOf("/") + 1)] ?? {};
}

/** A method as the document has it, and as the types beside it say. */
function served<Params, Result>(name: string): ServedMethod<Params, Result> {
  const method = document.methods.find((one) => one.name === name);
  const { schema = { $ref: "" } } = method?.params[0] ?? {};
  const params = schemaOf(schema);
  return {
    descriptor: { name, errors: {} },
    params: advisedSchema(validator(params), params),
    result: validator(schemaOf(method?.result.schema ?? { $ref: "" })),
  };
}

export const adminContract = {
  createNamespace: served<CreateNamespaceParams, OfNamespace>("createNamespace"),
  disposeNamespace: served<OfNamespace, Empty>("disposeNamespace"),
  resetNamespace: served<OfNamespace, Empty>("resetNamespace"),
  listNamespaces: served<Empty, { readonly apiKeys: readonly string[] }>("listNamespaces"),
  stubStatement: served<StubStatementParams, OfStub>("stubStatement"),
  listStubs: served<OfNamespace, { readonly stubs: readonly ListedStub[] }>("listStubs"),
  deleteStub: served<OfNamespace & OfStub, Empty>("deleteStub"),
  planFault: served<OfNamespace & FaultOptions & { readonly method: FaultyMethod }, Empty>("planFault"),
  advanceClock: served<OfNamespace & { readonly by: Duration }, Now>("advanceClock"),
  setClock: served<OfNamespace & { readonly to: string }, Now>("setClock"),
  getHistory: served<CallFilter & { readonly limit?: number }, GetHistoryResult>("getHistory"),
  countCalls: served<CallFilter, { readonly count: number }>("countCalls"),
  getRecording: served<OfNamespace, Recording>("getRecording"),
  getLedger: served<Empty, Ledger>("getLedger"),
};
