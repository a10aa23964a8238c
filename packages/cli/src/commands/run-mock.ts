import { commandFunction } from "../command-function.ts";
import type { Context } from "../context.ts";
import { optionalPackage } from "../optional-package.ts";
import { type ListenFlags, listenError, serveUntilSignal } from "./listening.ts";

export const runMock = commandFunction(async (context: Context, flags: ListenFlags) => {
  const load = <Module>(name: string) => optionalPackage<Module>("mock", name, context.process.cwd());
  const { createMockServer } = await load<typeof import("@quern/mock-server")>("@quern/mock-server");
  const { listen } = await load<typeof import("@quern/mock-server/listen")>("@quern/mock-server/listen");
  const apiKey = context.process.env.QUERN_API_KEY;
  // Callers of another process cannot move its clock.
  const mock = createMockServer({ clock: { ticking: true }, ...(apiKey ? { apiKey } : {}) });
  const { url, close } = await listen(mock, flags).catch((error: unknown) => Promise.reject(listenError(error, flags)));
  await serveUntilSignal({ url, madeKey: apiKey ? undefined : mock.apiKey, close }, context, flags.json);
});
