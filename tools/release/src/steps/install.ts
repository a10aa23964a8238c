import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { command } from "../command.ts";
import type { Fault } from "../fault.ts";
import type { PackedPackage } from "../packed-package.ts";
import type { Rehearsal } from "../rehearsal.ts";
import type { Step } from "../step.ts";

/** Returns the packages of the first `npm install` command of the README. */
function installWords({ text }: PackedPackage): string[] {
  const [, words = ""] = /^npm install (.+)$/m.exec(text("README.md")) ?? [];
  return words.split(" ").filter((word) => word !== "" && !word.startsWith("--"));
}

/** Installs each package alone, in a project of its own, with npm and the command of its README. */
export const install: Step = {
  name: "install each package alone, with npm",
  async run(rehearsal) {
    const waiting = [...rehearsal.packages];
    const faults: Fault[] = [];
    const worker = async () => {
      for (let packed = waiting.shift(); packed; packed = waiting.shift())
        faults.push(...(await installOne(packed, rehearsal)));
    };
    // npm mostly waits for the disk and the registry.
    await Promise.all([worker(), worker(), worker()]);
    return { faults };
  },
};

async function installOne(packed: PackedPackage, rehearsal: Rehearsal): Promise<Fault[]> {
  const { folder, projects } = rehearsal;
  const { name } = packed;
  const words = installWords(packed);
  const fault = { package: name, file: "README.md" };
  if (!words.includes(name))
    return [{ ...fault, rule: `no command installs ${name}`, action: `write \`npm install ${name}\`` }];
  const project = join(folder, "alone", packed.folder);
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, "package.json"), JSON.stringify({ type: "module", private: true }));
  try {
    await npmInstall(project, words, rehearsal);
  } catch (error) {
    return [{ ...fault, rule: String(error), action: "correct the dependencies in package.json" }];
  }
  projects.set(name, project);
  return [];
}

/** Installs packages in a project: those of this repository from the registry on loopback, others from the machine's. */
async function npmInstall(
  project: string,
  words: readonly string[],
  { registry, version }: Pick<Rehearsal, "registry" | "version">,
): Promise<void> {
  writeFileSync(join(project, ".npmrc"), `@quern:registry=${registry.url}\n`);
  const specifiers = words.map((word) => (word === "quern" ? quernOf({ registry, version }) : word));
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error", "--prefer-offline"];
  await command("npm", ["install", ...quiet, ...specifiers], { cwd: project });
}

/** Returns what to install for `quern`. A registry for some packages only is chosen by their scope, which this name lacks. */
export const quernOf = ({ registry, version }: Pick<Rehearsal, "registry" | "version">): string =>
  `${registry.url}quern/-/quern-${version}.tgz`;
