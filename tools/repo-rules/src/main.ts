import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { architectureFile, architectureSvg } from "./architecture.ts";
import { commentFaults } from "./comments.ts";
import { messagesFile, messagesText } from "./messages.ts";
import { root } from "./tree.ts";

const commands: Readonly<Record<string, () => void | Promise<void>>> = {
  messages() {
    writeFileSync(join(root, messagesFile), messagesText());
    console.log(`wrote ${messagesFile}`);
  },
  async architecture() {
    for (const scheme of ["light", "dark"] as const) {
      const file = architectureFile(scheme);
      writeFileSync(join(root, file), await architectureSvg(scheme));
      console.log(`wrote ${file}`);
    }
  },
  comments() {
    const faults = [...commentFaults().values()].flat();
    for (const { at, text } of faults) console.log(`${at}: ${text}`);
    console.log(`${faults.length} comments break a rule of wording`);
  },
};

const [name = ""] = process.argv.slice(2);
const command = commands[name];
if (command === undefined) {
  console.error(`unknown command: ${name || "none"}; use one of ${Object.keys(commands).join(", ")}`);
  process.exitCode = 2;
} else await command();
