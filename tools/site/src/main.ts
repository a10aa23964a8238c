import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildSite } from "./build-site.ts";
import { serve } from "./serve.ts";
import { tool } from "./tree.ts";
import { unreleased } from "./versions.ts";

const { values } = parseArgs({
  options: {
    serve: { type: "boolean", default: false },
    port: { type: "string", default: "4000" },
    out: { type: "string", default: join(tool, "dist") },
    version: { type: "string", default: unreleased },
  },
});

await buildSite(values.out, values.version);
console.log(`The site is in ${values.out}`);
if (values.serve) console.log(`Open ${(await serve(values.out, { port: Number(values.port) })).url}`);
