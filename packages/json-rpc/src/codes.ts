/**
 * The five codes that JSON-RPC itself defines.
 * @see https://www.jsonrpc.org/specification#error_object
 */
export const ParseError = -32700;
export const InvalidRequest = -32600;
export const MethodNotFound = -32601;
export const InvalidParams = -32602;
export const InternalError = -32603;
