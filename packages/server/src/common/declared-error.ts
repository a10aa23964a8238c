import { declaredErrors } from "@quern/json-rpc/handler";
import document from "@quern/spec/openrpc.json" with { type: "json" };

/** Errors as callers get them: code and message are the document's. */
export const { declaredError, invalidParams } = declaredErrors(document.components.errors);
