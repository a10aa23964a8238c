import type { CallContext } from "@quern/json-rpc/handler";
import type { Principal } from "../identity/principal.ts";

/** What a method's handler knows beside its params. */
export type Context = CallContext<Principal>;
