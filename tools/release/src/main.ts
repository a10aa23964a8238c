// `npm run release -- --dry-run [--out DIR]`: rehearses a release on this machine, and prints what remains to be done by hand.
import { cpSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { byHand } from "./by-hand.ts";
import { dryRun } from "./dry-run.ts";
import { textOf } from "./fault.ts";

const { values } = parseArgs({ options: { "dry-run": { type: "boolean" }, out: { type: "string" } } });
if (!values["dry-run"]) {
  console.error("Nothing is published from a machine: write `npm run release -- --dry-run [--out DIR]`");
  process.exit(2);
}

await using rehearsal = await dryRun(console.log);
const { faults, folder, version } = rehearsal;
if (values.out !== undefined) {
  const out = resolve(process.env.INIT_CWD ?? process.cwd(), values.out);
  cpSync(join(folder, "release"), out, { recursive: true });
  console.log(`the packages and their bills of materials are in ${out}`);
}
if (faults.length === 0) {
  console.log(`\n${version} can be released. By hand:\n\n${byHand(version, version === "0.1.0").join("\n")}`);
} else {
  console.log(`\n${version} cannot be released:\n\n${faults.map(textOf).join("\n")}`);
  process.exitCode = 1;
}
