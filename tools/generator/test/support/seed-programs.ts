import type { WorkingSeed } from "../seeds/working-seed.ts";

/** Calls the function of each seed with its params in TypeScript, and prints all answers. */
export function callsProgram(seeds: readonly WorkingSeed[]): string {
  const calls = seeds.map(({ identifier, params }) => `  await ${identifier}(client, ${JSON.stringify(params)}),`);
  return `import { createClient, ${seeds.map(({ identifier }) => identifier).join(", ")} } from "@quern/client";
import { createMockServer } from "@quern/mock-server";

const mock = createMockServer();
const client = createClient({ url: mock.url, apiKey: mock.apiKey, fetch: mock.fetch });
console.log(JSON.stringify([
${calls.join("\n")}
]));
`;
}

/** Runs the command of each seed as a process, and prints its output or error. */
export function commandsProgram(seeds: readonly WorkingSeed[]): string {
  return `import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { createMockServer } from "@quern/mock-server";
import { listen } from "@quern/mock-server/listen";

const mock = createMockServer();
await using server = await listen(mock);
const env = { ...process.env, QUERN_URL: server.url, QUERN_API_KEY: mock.apiKey };
const lines: readonly (readonly string[])[] = ${JSON.stringify(seeds.map(({ words }) => words))};
const answers: unknown[] = [];
for (const words of lines) {
  const ended = promisify(execFile)(process.execPath, ["packages/cli/bin/quern.js", ...words], { env });
  answers.push(await ended.then(({ stdout }) => JSON.parse(stdout), (error: Error) => error.message));
}
console.log(JSON.stringify(answers));
`;
}
