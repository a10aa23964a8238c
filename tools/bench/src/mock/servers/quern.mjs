import { createMockServer } from "@quern/mock-server";
import { listen } from "@quern/mock-server/listen";
import { reportCpu } from "./cpu-reporter.mjs";

const { url } = await listen(createMockServer({ apiKey: "bench" }));
reportCpu(`${url}/json-rpc`);
