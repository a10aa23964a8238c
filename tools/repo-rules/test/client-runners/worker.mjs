// A worker of Cloudflare with one client for all of its requests, each of which runs a statement and polls it.
import { createClient, query, rowsOf } from "@quern/client";

let client;

export default {
  async fetch(request, { QUERN_URL: url, QUERN_API_KEY: apiKey }) {
    client ??= createClient({ url, apiKey: async () => apiKey });
    const sql = new URL(request.url).searchParams.get("sql");
    const result = await query(client, { sql }, { signal: request.signal });
    return Response.json(await Array.fromAsync(rowsOf(result)));
  },
};
