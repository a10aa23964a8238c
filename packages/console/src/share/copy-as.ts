import type { CreateQueryRunParams } from "@quern/client";

/** Request of a run, for a program in another language. */
export type SharedRequest = Pick<CreateQueryRunParams, "sql" | "parameters" | "dataSource">;

export const PROGRAMS = ["curl", "TypeScript", "Python", "CLI"] as const;
export type Program = (typeof PROGRAMS)[number];

/** Returns a program that runs the statement. It reads the key from the environment and never contains one. */
export function programOf(program: Program, url: string, request: SharedRequest): string {
  const { sql, parameters, dataSource } = request;
  const params = {
    sql,
    ...(parameters !== undefined && { parameters }),
    ...(dataSource !== undefined && { dataSource }),
  };
  switch (program) {
    case "curl": {
      const call = {
        jsonrpc: "2.0",
        id: 1,
        method: "createQueryRun",
        params: [{ ...params, waitSeconds: 50, results: {} }],
      };
      return `curl ${shellText(`${url}/json-rpc`)} \\
  -H 'content-type: application/json' -H "x-api-key: $QUERN_API_KEY" \\
  -d ${shellText(JSON.stringify(call))}`;
    }
    case "TypeScript":
      return `import { createClient, query, rowsOf } from "@quern/client";

const client = createClient({ url: ${JSON.stringify(url)}, apiKey: process.env.QUERN_API_KEY ?? "" });
const result = await query(client, ${JSON.stringify(params, withoutRawNumbers, 2)});
for await (const row of rowsOf(result)) console.log(row);`;
    case "Python":
      return `import json, os, urllib.request

params = json.loads(${JSON.stringify(JSON.stringify({ ...params, waitSeconds: 50, results: {} }))})
call = {"jsonrpc": "2.0", "id": 1, "method": "createQueryRun", "params": [params]}
request = urllib.request.Request(
    ${JSON.stringify(`${url}/json-rpc`)},
    data=json.dumps(call).encode(),
    headers={"content-type": "application/json", "x-api-key": os.environ["QUERN_API_KEY"]},
)
answer = json.load(urllib.request.urlopen(request))
print(answer["result"].get("results") or answer["result"]["queryRun"])`;
    case "CLI": {
      const flags = [
        ...(dataSource === undefined ? [] : [`--data-source ${shellText(dataSource)}`]),
        ...Object.entries(parameters ?? {}).map(([key, value]) => {
          const name = Array.isArray(parameters) ? Number(key) + 1 : key;
          return `--param ${shellText(`${name}=${JSON.stringify(value)}`)}`;
        }),
      ];
      return [`QUERN_URL=${shellText(url)} quern query ${shellText(sql)}`, ...flags].join(" ");
    }
  }
}

/** Writes a number that JavaScript would round as text. The engine casts it. */
function withoutRawNumbers(_: string, value: unknown): unknown {
  return typeof value === "object" && value !== null && "rawJSON" in value ? value.rawJSON : value;
}

/** Quotes a text for a POSIX shell. */
const shellText = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
