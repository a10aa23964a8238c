import type { ServedMethod } from "@quern/json-rpc/envelope";
import { declaredErrors } from "@quern/json-rpc/handler";
import { type SchemaTable, validator } from "@quern/protocol/validator";
import document from "@quern/spec/mock-admin.json" with { type: "json" };
import type { FaultOptions, FaultyMethod } from "../faults/schedule.ts";
import type { RecordedCall } from "../history/history.ts";
import type { KeyOption } from "../mock-server.ts";
import type { NamespaceOptions } from "../namespaces/namespace.ts";
import type { Rows } from "../results/result-set.ts";
import type { StatementMatch } from "../stubs/matcher.ts";
import type { Failure } from "../stubs/plan.ts";
import type { ClockOptions } from "../time/clock.ts";
import type { Duration } from "../time/duration.ts";
import type { Untruths } from "../unsafe/untruth.ts";

/** Errors as the document declares them. */
export const { declaredError, invalidParams } = declaredErrors(document.components.errors);

interface OfNamespace {
  readonly apiKey: string;
}

/** Statements by what JSON can say of them. */
interface WireMatch extends Omit<StatementMatch, "sql"> {
  readonly sql?: string;
  readonly pattern?: string;
}

interface CreateNamespaceParams
  extends KeyOption,
    Pick<NamespaceOptions, "seed" | "strict" | "shake" | "maxPageBytes"> {
  readonly clock?: Omit<ClockOptions, "startAt"> & { readonly startAt?: string };
}

export interface StubStatementParams extends OfNamespace {
  readonly match: string | WireMatch;
  readonly rows?: Rows;
  readonly fails?: Failure;
  readonly after?: Duration;
  readonly afterPolls?: number;
  readonly unsafe?: Untruths;
}

interface GetHistoryResult {
  readonly calls: readonly (Omit<RecordedCall, "at"> & { readonly at: string })[];
  readonly unexpected: readonly string[];
  readonly unsafe: readonly string[];
  readonly unmetFaults: readonly string[];
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
  return {
    descriptor: { name, errors: {} },
    params: validator(schemaOf(schema)),
    result: validator(schemaOf(method?.result.schema ?? { $ref: "" })),
  };
}

export const adminContract = {
  createNamespace: served<CreateNamespaceParams, OfNamespace>("createNamespace"),
  disposeNamespace: served<OfNamespace, Empty>("disposeNamespace"),
  resetNamespace: served<OfNamespace, Empty>("resetNamespace"),
  stubStatement: served<StubStatementParams, Empty>("stubStatement"),
  planFault: served<OfNamespace & FaultOptions & { readonly method: FaultyMethod }, Empty>("planFault"),
  advanceClock: served<OfNamespace & { readonly by: Duration }, Now>("advanceClock"),
  setClock: served<OfNamespace & { readonly to: string }, Now>("setClock"),
  getHistory: served<OfNamespace, GetHistoryResult>("getHistory"),
};
