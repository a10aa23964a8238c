/** Forwards a JSON-RPC call to the service, with the key of the server. */
export function callService(body: string, signal: AbortSignal): Promise<Response> {
  const { QUERN_URL, QUERN_API_KEY = "" } = process.env;
  const headers = { "content-type": "application/json", "x-api-key": QUERN_API_KEY };
  return fetch(`${QUERN_URL}/json-rpc`, { method: "POST", headers, body, signal, cache: "no-store" });
}
