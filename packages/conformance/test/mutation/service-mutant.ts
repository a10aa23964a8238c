// A service in a process of its own that may have a defect; its clock goes on by as much as it is told, once it is.

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
