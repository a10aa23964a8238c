import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Packed, pack, run } from "../src/packed.ts";
import { binaryOf, nodeRuntime, type Runtime } from "../src/runtime.ts";
import { API_KEY, type Service, start } from "../src/service.ts";
import { read } from "../src/tree.ts";

const folders = ["json-rpc", "protocol", "client", "react"].map((name) => `packages/${name}`);
const fixture = (name: string) => fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));
let packed: Packed;
let service: Service;

beforeAll(async () => {
  packed = pack(folders);
  service = await start("serve", "--data-dir", join(packed.folder, "data"));
});
afterAll(async () => {
  await service?.stop();
  packed?.[Symbol.dispose]();
});

describe("a program that uses the packed client and hooks", () => {
  const compilers = { "5.9": "5.9.3", "6": "6.0.3", "7": "7.0.2" };
  const aliases = Object.entries(compilers).map(([name, version]) => [
    `typescript-${name}`,
    `npm:typescript@${version}`,
  ]);
  /** Creates a project with the program. @param besides Other packages of the project, with their versions. */
  const install = (besides: Readonly<Record<string, string>>) => {
    const project = packed.install("packages/react", { ...Object.fromEntries(aliases), ...besides });
    copyFileSync(fixture("consumer.tsx"), join(project, "consumer.tsx"));
    return project;
  };

  const resolutions = [
    { module: "nodenext", moduleResolution: "nodenext" },
    { module: "esnext", moduleResolution: "bundler" },
  ] as const;
  function expectToCompile(project: string, name: string, { module, moduleResolution }: (typeof resolutions)[number]) {
    const compilerOptions = {
      ...{ target: "es2022", lib: ["es2022", "dom", "dom.iterable"], jsx: "react-jsx", types: [] },
      ...{ strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, noEmit: true },
      ...{ module, moduleResolution },
    };
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["consumer.tsx"] }));
    const { stdout, status } = run(process.execPath, [`node_modules/typescript-${name}/bin/tsc`], project);
    expect({ stdout, status }).toEqual({ stdout: "", status: 0 });
  }

  let project: string;
  beforeAll(() => {
    project = install({ "@types/react": "^19.0.0" });
  });
  const [nodenext, bundler] = resolutions;
  const cases = [
    { name: "5.9", ...bundler },
    { name: "6", ...nodenext },
    { name: "7", ...bundler },
  ];
  it.each(cases)("compiles on TypeScript $name, $moduleResolution", ({ name, ...resolution }) => {
    expectToCompile(project, name, resolution);
  });

  it("compiles with the oldest supported TanStack Query and React", () => {
    const { peerDependencies } = JSON.parse(read("packages/react/package.json"));
    const [query, react] = ["@tanstack/react-query", "react"].map(
      (peer) => /\d+\.\d+\.\d+/.exec(peerDependencies[peer])?.[0],
    );
    const oldest = { "@tanstack/react-query": `${query}`, react: `${react}`, "react-dom": `${react}` };
    expectToCompile(install({ ...oldest, "@types/react": "^18.0.0" }), "5.9", resolutions[0]);
  });
});

const { platform, arch } = process;
const runtimes: readonly Runtime[] = [
  // `registry.long.test.ts` runs the same program on Node 22 and 26.
  ...["18", "20", "24"].map(nodeRuntime),
  {
    name: "Bun",
    version: "1",
    packages: [`@oven/bun-${platform}-${arch === "arm64" ? "aarch64" : arch}`],
    binary: "bin/bun",
  },
  {
    ...{ name: "Deno", version: "2", packages: [`@deno/${platform}-${arch}-glibc`, `@deno/${platform}-${arch}`] },
    ...{ binary: "deno", args: ["run", "--allow-net", "--allow-read", "--allow-env"] },
  },
];

describe("the packed client", () => {
  let project: string;
  beforeAll(() => {
    project = packed.install("packages/client");
    copyFileSync(fixture("smoke.mjs"), join(project, "smoke.mjs"));
  });

  it.for(runtimes)("runs on $name $version", (runtime, { skip }) => {
    const { name, version, args = [] } = runtime;
    const found = binaryOf(runtime, packed.folder);
    if (found === undefined) return skip(`the machine lacks ${name} ${version}: no package brings it`);
    const { stdout, stderr, status } = run(found, [...args, "smoke.mjs", service.url, API_KEY], project);
    expect({ stdout, stderr, status }).toMatchObject({
      stdout: '[312487500,1,"failed","timeout",100001]\n',
      status: 0,
    });
  });
});
