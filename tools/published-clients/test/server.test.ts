import { Flipside } from "@flipsidecrypto/sdk";
import { Flipside as Flipside20 } from "@flipsidecrypto/sdk-2.0";
import { Flipside as Ours } from "@quern/client/flipside";
import { afterAll, beforeAll } from "vitest";
import { testFlipsideSdk } from "../src/flipside-sdk.ts";
import { startService } from "../src/service.ts";
import type { Subject } from "../src/subject.ts";
import { testWire } from "../src/wire.ts";

let subject: Subject;
beforeAll(async () => {
  subject = await startService();
});
afterAll(() => subject?.[Symbol.asyncDispose]());

testFlipsideSdk("2.0.0", Flipside20, () => subject);
testFlipsideSdk("2.1.0", Flipside, () => subject);
testFlipsideSdk("of @quern/client", Ours, () => subject);
testWire(() => subject);
