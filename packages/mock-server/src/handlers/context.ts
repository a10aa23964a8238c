import type { CallContext } from "@quern/json-rpc/handler";
import type { Namespace } from "../namespaces/namespace.ts";

/** What a method's handler knows beside its params; the principal is what the key sees. */
export type Context = CallContext<Namespace>;
