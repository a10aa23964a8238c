import { writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { buildPage, isComponent } from "../../../repo-rules/src/page.ts";
import { API_KEY, type Service, startCommand } from "../../../repo-rules/src/service.ts";
import { type Snippet, snippetsOf } from "../../../repo-rules/src/snippets.ts";
import { root } from "../../../repo-rules/src/tree.ts";
import { command } from "../command.ts";
import type { Fault } from "../fault.ts";
import type { PackedPackage } from "../packed-package.ts";
import type { Step } from "../step.ts";

/** Runs the first program of each README with the packages that its command installs, and a service from the registry. */
export const snippets: Step = {
  name: "programs of READMEs",
  async run({ folder, packages, projects }) {
    const data = join(folder, "data");
    await command(process.execPath, [join(root, "tools/samples/src/main.ts"), "--data-dir", data], { cwd: root });
    const binary = join(projects.get("quern") ?? "", "node_modules/quern/bin/quern.js");
    const service = await startCommand(process.execPath, [binary, "serve", "--data-dir", data]);
    try {
      const faults: Fault[] = [];
      for (const packed of packages) faults.push(...(await snippetFaults(packed, projects.get(packed.name), service)));
      return { faults };
    } finally {
      await service.stop();
    }
  },
};

async function snippetFaults(packed: PackedPackage, project: string | undefined, service: Service): Promise<Fault[]> {
  const fault = { package: packed.name, file: "README.md" };
  const all = snippetsOf(packed.text("README.md"));
  const snippet = all.find(isProgram);
  if (snippet === undefined) return [{ ...fault, rule: "has no program that runs", action: "add one" }];
  // The fault of its installation is in the list already.
  if (project === undefined) return [];
  const env = {
    QUERN_URL: service.url,
    QUERN_API_KEY: API_KEY,
    AWAITED: "USA: 254",
    PATH: `${join(project, "node_modules/.bin")}${delimiter}${process.env.PATH}`,
  };
  try {
    const [file, args] = await commandFor(project, snippet, all, service);
    if ((await command(file, args, { cwd: project, env })) !== "") return [];
    return [{ ...fault, rule: `the program of line ${snippet.line} prints nothing`, action: "print its result" }];
  } catch (error) {
    const rule = `the program of line ${snippet.line} fails: ${error}`;
    return [{ ...fault, rule, action: "correct the program or the package" }];
  }
}

const isProgram = (snippet: Snippet): boolean =>
  isComponent(snippet) ||
  ["js", "ts"].includes(snippet.language) ||
  (snippet.language === "sh" && !/^(npm install|npx|export) /m.test(snippet.code));

async function commandFor(
  project: string,
  snippet: Snippet,
  all: readonly Snippet[],
  { url }: Service,
): Promise<[string, string[]]> {
  const { language, code } = snippet;
  if (language === "sh") return ["sh", ["-euc", code]];
  if (isComponent(snippet)) {
    const here = all
      .filter((each) => each.language === language)
      .map(({ code, ...rest }) => ({
        ...rest,
        code: code.replace("http://127.0.0.1:8080", url).replace('apiKey: "…"', `apiKey: "${API_KEY}"`),
      }));
    return [process.execPath, await buildPage(project, here)];
  }
  const file = join(project, `snippet.${language === "ts" ? "ts" : "mjs"}`);
  writeFileSync(file, code);
  return [process.execPath, [file]];
}
