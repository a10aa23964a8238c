import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Defect } from "./defects.ts";

const packages = fileURLToPath(new URL("../../..", import.meta.url));
const script = `
import { createMockServer } from "@quern/mock-server";
import { listen } from "@quern/mock-server/listen";
const mock = createMockServer({ onError() {} });
mock.when("select 1 as n").rows([{ n: 1 }]);
const { url } = await listen(mock);
console.log(JSON.stringify({ url, apiKey: mock.apiKey }));
process.stdin.on("end", () => process.exit()).resume();
`;

/** A server in a process of its own. */
export interface Mutant extends AsyncDisposable {
  readonly url: string;
  readonly apiKey: string;
}

/** Copies what a mock is made of, as it is built, into a folder; `start` puts a defect in, or none, for as long as the server runs. */
export async function copyMock(folder: string): Promise<{ start(defect?: Defect): Promise<Mutant> }> {
  const scope = join(folder, "node_modules", "@quern");
  await mkdir(scope, { recursive: true });
  for (const name of ["json-rpc", "protocol", "query-run", "mock-server"]) {
    await cp(join(packages, name, "dist"), join(scope, name, "dist"), { recursive: true });
    await cp(join(packages, name, "package.json"), join(scope, name, "package.json"));
  }
  await cp(join(packages, "..", "spec"), join(scope, "spec"), { recursive: true });
  await writeFile(join(folder, "serve.mjs"), script);

  return {
    async start(defect) {
      const restore = defect && (await put(defect, scope));
      const server = spawn(process.execPath, [join(folder, "serve.mjs")], { stdio: ["pipe", "pipe", "inherit"] });
      const [line] = await once(createInterface({ input: server.stdout }), "line");
      const { url, apiKey } = JSON.parse(line);
      return {
        url,
        apiKey,
        async [Symbol.asyncDispose]() {
          const ended = once(server, "exit");
          server.stdin.end();
          await ended;
          await restore?.();
        },
      };
    },
  };
}

async function put({ name, file, from, to }: Defect, scope: string): Promise<() => Promise<void>> {
  const [owner = "", ...path] = file.split("/");
  const place = join(scope, owner, "dist", ...path);
  const text = await readFile(place, "utf8");
  if (text.split(from).length !== 2) throw new Error(`"${name}" has no place in ${file}, or several`);
  await writeFile(
    place,
    text.replace(from, () => to),
  );
  return () => writeFile(place, text);
}
