// Runs a service with a defect in its own process. A message advances its clock by that number of milliseconds. The first
// argument is a folder with the results of the scripted engine.

import { patchSource } from "./patch.ts";

const [folder, ...patch] = process.argv.slice(2);
patchSource(patch);

const { startServerSide } = await import("../differential/server-side.ts");
const service = await startServerSide("both", folder);
process.on("message", (ms: number) => {
  service.advance(ms);
  process.send?.(service.now());
});
process.on("disconnect", async () => {
  await service[Symbol.asyncDispose]();
  process.exit();
});
process.send?.(service.url);
