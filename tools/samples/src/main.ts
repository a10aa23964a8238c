import { parseArgs } from "node:util";
import { loadSamples } from "./samples.ts";

const { values } = parseArgs({ options: { "data-dir": { type: "string" } } });
const dataDir = values["data-dir"];
if (dataDir === undefined) {
  console.error("Usage: node tools/samples/src/main.ts --data-dir DIR");
  process.exit(2);
}
const { path, loaded } = await loadSamples(dataDir);
console.error(loaded ? `samples: loaded ${path}` : `samples: ${path} is up to date`);
