import { createMockServer, type MockServerOptions } from "../src/index.ts";
import { listen } from "../src/listen.ts";
import { callerOf } from "./caller.ts";

/** A mock that listens, scripted as from another process. */
export async function scripted(options: MockServerOptions = {}) {
  const mock = createMockServer(options);
  const door = await listen(mock);
  const admin = callerOf({ fetch: globalThis.fetch, url: door.adminUrl, apiKey: "" });
  const as = (apiKey: string) => callerOf({ fetch: globalThis.fetch, url: door.url, apiKey });
  return { mock, door, admin, as, [Symbol.asyncDispose]: door.close };
}
