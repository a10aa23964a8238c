import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Packed, pack, run } from "../src/packed.ts";
import { binaryOf, nodeRuntime, type Runtime } from "../src/runtime.ts";
import { API_KEY, type Service, start } from "../src/service.ts";
import { snippets } from "../src/snippets.ts";
import { read } from "../src/tree.ts";

/** Commands with which the guide installs the packages that a page needs. */
const install = snippets("docs/getting-started.md").find(({ code }) => code.startsWith("npm install ../"))?.code ?? "";
const folders = [...install.matchAll(/quern-packages\/quern-(\S+)-\*\.tgz/g)].map(([, name]) => `packages/${name}`);
const fixture = (name: string) => fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));
/** The oldest that the READMEs of the packages name, and the last of each later major version: two of JavaScript, and the native one. */
const compilers = { "5.4": "5.4.5", "6": "6.0.3", "7": "7.0.2" };
let packed: Packed;
let service: Service;
/** Projects with the newest and oldest React, and with the client alone. */
let newest: string;
let oldest: string;
let alone: string;

beforeAll(async () => {
  packed = pack(folders);
  const aliases = Object.entries(compilers).map(([name, version]) => [
    `typescript-${name}`,
    `npm:typescript@${version}`,
  ]);
  const typescript = Object.fromEntries(aliases);
  const { peerDependencies } = JSON.parse(read("packages/react/package.json"));
  const [query = "", react = ""] = ["@tanstack/react-query", "react"].map(
    (peer) => /\d+\.\d+\.\d+/.exec(peerDependencies[peer])?.[0],
  );
  const old = { "@tanstack/react-query": query, react, "react-dom": react, "@types/react": "^18.0.0" };
  const types = { "@types/react": "^19.0.0" };
  [newest = "", alone = ""] = packed.install(
    { of: "packages/react", besides: { ...typescript, ...types } },
    { of: "packages/client" },
  );
  [oldest = ""] = packed.install({ of: "packages/react", besides: { ...typescript, ...old } });
  for (const project of [newest, oldest])
    for (const file of ["consumer.tsx", "library.ts"]) copyFileSync(fixture(file), join(project, file));
  writeFileSync(join(newest, "exports.ts"), await wrappers(newest));
  copyFileSync(fixture("suggestions.mjs"), join(newest, "suggestions.mjs"));
  copyFileSync(fixture("smoke.mjs"), join(alone, "smoke.mjs"));
  service = await start("serve", "--data-dir", join(packed.folder, "data"));
});
afterAll(async () => {
  await service?.stop();
  packed?.[Symbol.dispose]();
});

/** Returns a module with a function without a return type around each function of the packages. */
async function wrappers(project: string): Promise<string> {
  const modules = ["@quern/client", "@quern/client/flipside", "@quern/react"];
  const texts = modules.map((name, index) => {
    const code = `import * as all from "${name}"; console.log(JSON.stringify(Object.keys(all)
      .filter((name) => typeof all[name] === "function" && !/^class|^[A-Z]/.test(name))))`;
    const { stdout } = run(process.execPath, ["--input-type=module", "--eval", code], project);
    const names: readonly string[] = JSON.parse(stdout);
    const functions = names.map(
      (each) =>
        `export function ${each}${index}(...given: Parameters<typeof from${index}.${each}>) { return from${index}.${each}(...given); }`,
    );
    return [`import * as from${index} from "${name}";`, ...functions].join("\n");
  });
  // Before TypeScript 5.5, the compiler names only packages that the program imports.
  return ['import type {} from "@tanstack/react-query";', ...texts].join("\n");
}

describe("a program that uses the packed client and hooks", () => {
  const resolutions = [
    { module: "nodenext", moduleResolution: "nodenext" },
    { module: "esnext", moduleResolution: "bundler" },
  ] as const;
  function expectToCompile(
    project: string,
    name: string,
    { module, moduleResolution }: (typeof resolutions)[number],
    files: readonly string[] = ["consumer.tsx", "library.ts"],
  ) {
    const compilerOptions = {
      target: "es2022",
      lib: ["es2022", "dom", "dom.iterable"],
      jsx: "react-jsx",
      types: [],
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      declaration: true,
      outDir: "out",
      module,
      moduleResolution,
    };
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
    const { stdout, status } = run(process.execPath, [`node_modules/typescript-${name}/bin/tsc`], project);
    expect({ stdout, status }).toEqual({ stdout: "", status: 0 });
  }

  // `dry-run.long.test.ts` of `tools/release` compiles the same program on TypeScript 7, nodenext.
  it.each(Object.keys(compilers))(
    "compiles on TypeScript %s, bundler, and can name the type of each result in declarations",
    (name) => {
      expectToCompile(newest, name, resolutions[1], ["consumer.tsx", "library.ts", "exports.ts"]);
    },
  );

  it("compiles with the oldest supported TanStack Query and React", () => {
    expectToCompile(oldest, "5.4", resolutions[0]);
  });

  it.each(["5.4", "6"])("suggests the columns of a row with a type in an editor with TypeScript %s", (name) => {
    const { stdout, stderr } = run(process.execPath, ["suggestions.mjs", `typescript-${name}`], newest);
    expect({ stdout, stderr }).toEqual({ stdout: '["name","year"]\n', stderr: "" });
  });
});

const { platform, arch } = process;
const runtimes: readonly Runtime[] = [
  // The oldest. `dry-run.long.test.ts` of `tools/release` runs the same program on Node 22.
  nodeRuntime("18"),
  {
    name: "Bun",
    version: "1",
    packages: [`@oven/bun-${platform}-${arch === "arm64" ? "aarch64" : arch}`],
    binary: "bin/bun",
  },
  {
    name: "Deno",
    version: "2",
    packages: [`@deno/${platform}-${arch}-glibc`, `@deno/${platform}-${arch}`],
    binary: "deno",
    args: ["run", "--allow-net", "--allow-read", "--allow-env"],
  },
];

it("the commands of the guide install what a page needs, with npm", () => {
  const project = join(packed.folder, "page");
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), '{ "type": "module" }');
  const commands = install.replaceAll("../quern-packages/", "../");
  const { status, stderr } = run("bash", ["-e", "-c", commands], project, { npm_config_loglevel: "error" });
  expect(status, stderr).toBe(0);
  const page = 'import "@quern/react"; import { createClient } from "@quern/client"; console.log(typeof createClient)';
  expect(run(process.execPath, ["--eval", page, "--input-type=module"], project)).toMatchObject({
    stdout: "function\n",
    stderr: "",
  });
});

describe("the packed client", () => {
  it.for(runtimes)("runs on $name $version", (runtime, { skip }) => {
    const { name, version, args = [] } = runtime;
    const found = binaryOf(runtime, packed.folder);
    if (found === undefined) return skip(`the machine lacks ${name} ${version}: no package brings it`);
    const { stdout, stderr, status } = run(found, [...args, "smoke.mjs", service.url, API_KEY], alone);
    expect({ stdout, stderr, status }).toMatchObject({
      stdout: '[312487500,1,"failed","timeout",100001]\n',
      status: 0,
    });
  });
});
