import { declaredErrors } from "@quern/json-rpc/handler";
import document from "@quern/spec/openrpc.json" with { type: "json" };

/** Creates errors with the codes and messages of the OpenRPC document. */
export const { declaredError, invalidParams } = declaredErrors(document.components.errors);
