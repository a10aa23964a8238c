// Runs a service with a defect in its own process. A message advances its clock by that number of milliseconds.

import { patchSource } from "./patch.ts";

patchSource(process.argv.slice(2));

const { startServerSide } = await import("../differential/server-side.ts");
const service = await startServerSide("both");
process.on("message", (ms: number) => {
  service.advance(ms);
  process.send?.(service.now());
});
process.on("disconnect", async () => {
  await service[Symbol.asyncDispose]();
  process.exit();
});
process.send?.(service.url);
