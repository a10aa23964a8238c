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

/** Creates errors with the codes and messages of `spec/mock-admin.json`. */
export const { declaredError, invalidParams } = declaredErrors(document.components.errors);

/**
 * Runs work that fails if a member of the params is invalid.
 * @param member Name of the member; null for the params themselves.
 * @throws MethodError InvalidParams with the member and the reason
 */
export function withMember<T>(member: string | null, value: unknown, expected: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { pointer, received } = issueAt(member === null ? [] : [member], expected, value);
    throw invalidParams([{ pointer, expected, received }], error instanceof Error ? error.message : String(error));
  }
}

interface NamespaceParams {
  readonly apiKey: string;
}

interface CreateNamespaceParams
  extends KeyOption,
    Pick<NamespaceOptions, "seed" | "strict" | "variationSeed" | "maxPageBytes" | "record" | "replay"> {
  readonly clock?: Omit<ClockOptions, "startAt"> & { readonly startAt?: string };
}

export interface StubStatementParams extends NamespaceParams, StubDefinition {}

interface StubParams {
  readonly stubId: string;
}

/** Filter of calls by method and params; without either, all calls match. */
interface CallFilter extends NamespaceParams {
  readonly method?: string;
  readonly params?: object;
}

interface GetHistoryResult {
  readonly calls: readonly (Omit<RecordedCall, "at"> & { readonly at: string })[];
  readonly unexpected: readonly string[];
  readonly contractViolations: readonly string[];
  readonly unusedFaults: readonly string[];
  readonly unusedStubs: readonly string[];
}

type Empty = Readonly<Record<string, never>>;
type Now = { readonly now: string };

// A schema of `spec/mock-admin.json` becomes a validator table when each `$ref` is replaced by a function that returns
// the schema.
const schemas: Readonly<Record<string, SchemaTable>> = JSON.parse(
  JSON.stringify(document.components.schemas),
  (_, value) => (typeof value?.$ref === "string" ? { ref: () => schemaOf(value) } : value),
);

function schemaOf({ $ref }: { readonly $ref: string }): SchemaTable {
  return schemas[$ref.slice($ref.lastIndexOf("/") + 1)] ?? {};
}

/**
 * Returns a method of `spec/mock-admin.json`. The caller gives its types, which must match the schemas of that file.
 */
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
  createNamespace: served<CreateNamespaceParams, NamespaceParams>("createNamespace"),
  disposeNamespace: served<NamespaceParams, Empty>("disposeNamespace"),
  resetNamespace: served<NamespaceParams, Empty>("resetNamespace"),
  listNamespaces: served<Empty, { readonly apiKeys: readonly string[] }>("listNamespaces"),
  stubStatement: served<StubStatementParams, StubParams>("stubStatement"),
  listStubs: served<NamespaceParams, { readonly stubs: readonly ListedStub[] }>("listStubs"),
  deleteStub: served<NamespaceParams & StubParams, Empty>("deleteStub"),
  planFault: served<NamespaceParams & FaultOptions & { readonly method: FaultyMethod }, Empty>("planFault"),
  advanceClock: served<NamespaceParams & { readonly by: Duration }, Now>("advanceClock"),
  setClock: served<NamespaceParams & { readonly to: string }, Now>("setClock"),
  getHistory: served<CallFilter & { readonly limit?: number }, GetHistoryResult>("getHistory"),
  countCalls: served<CallFilter, { readonly count: number }>("countCalls"),
  getRecording: served<NamespaceParams, Recording>("getRecording"),
  getLedger: served<Empty, Ledger>("getLedger"),
};
