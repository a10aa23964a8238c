import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createRequestListener } from "@quern/json-rpc/node";
import { createMockServer } from "@quern/mock-server";
import { afterEach, expect, test } from "vitest";
import { conform, type profiles } from "../../src/index.ts";
import { faults, withFault } from "./broken-services.ts";

const apiKey = "any key";
let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** A service whose runs go back to an earlier state. */
async function startGoingBack(): Promise<string> {
  const fault = faults.find(({ name }) => name === "lets runs go back");
  const { handler } = createMockServer({ apiKey });
  server = createServer(createRequestListener(withFault(handler, fault ?? { name: "", fails: [] })));
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
}

test("runs are compared where any claimed profile has the results of the document", async () => {
  const problemsFor = async (claimed: (typeof profiles)[number][]) => {
    const url = await startGoingBack();
    const { results } = await conform({ url, apiKey, profiles: claimed, only: ({ id }) => id === "RUN-001", tries: 1 });
    return results.flatMap(({ problems }) => problems.map((problem) => problem.replaceAll(/"20[^"]*"/g, "a time")));
  };
  const alone = await problemsFor(["service"]);
  expect(alone).not.toEqual([]);
  expect(await problemsFor(["json-rpc", "service"])).toEqual(alone);
});
