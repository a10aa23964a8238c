import { createMockServer } from "@quern/mock-server";
import { listen } from "@quern/mock-server/listen";
import { told } from "./told.mjs";

const { url } = await listen(createMockServer({ apiKey: "bench" }));
told(`${url}/json-rpc`);
