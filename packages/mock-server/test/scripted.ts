import { createMockServer, type MockServerOptions } from "../src/index.ts";
import { listen } from "../src/listen.ts";
import { callerOf } from "./caller.ts";

/** Starts a mock that listens, and callers of it and of its administration. */
export async function scripted(options: MockServerOptions = {}) {
  const mock = createMockServer(options);
  const server = await listen(mock);
  const admin = callerOf({ fetch: globalThis.fetch, url: server.adminUrl, apiKey: "" });
  const as = (apiKey: string) => callerOf({ fetch: globalThis.fetch, url: server.url, apiKey });
  return { mock, server, admin, as, [Symbol.asyncDispose]: server.close };
}
