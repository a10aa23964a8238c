export type { DecodedReply, ReplyId } from "./call.ts";
export { decodeReply, encodeRequest, isWritten } from "./call.ts";
export { ExactNumber } from "./exact-number.ts";
export { issueAt } from "./issue.ts";
export { isObject, type JsonObject } from "./json-object.ts";
export type { ErrorObject, Issue, MethodDescriptor, Schema, ServedMethod } from "./method.ts";
export { InternalError, InvalidParams, InvalidRequest, MethodNotFound, ParseError } from "./method.ts";
