import { Client } from "@modelcontextprotocol/client";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { CLI, type Service } from "../service.ts";

/** Result of a statement as a tool returns it. */
export interface Answer {
  /** Text that the model reads. */
  readonly text: string;
  readonly failed: boolean;
  readonly rows: readonly (readonly unknown[])[];
  /** True if the reply says that rows are missing. */
  readonly saysCut: boolean;
  /** Number of all rows, if the reply has it. */
  readonly total?: number;
}

/** Agent that calls the tools of an MCP server over stdio, with the time limit of the SDK, 60 seconds. */
export interface Agent extends AsyncDisposable {
  /** Name and version of the server. */
  readonly name: string;
  /** Largest number of rows of a reply. */
  readonly maxRows: number;
  /** Characters of the list of the tools. */
  readonly toolCharacters: number;
  /** @param limit Rows to return, if it is not the default of the server */
  query(sql: string, limit?: number): Promise<Answer>;
  /** @param first Answer with the first hundred rows */
  secondPage(sql: string, first: Answer): Promise<Answer>;
  /** Returns the replies that list all tables, as one text. */
  tables(): Promise<string>;
  describe(sql: string): Promise<string>;
  /** Returns the text with the address of a file of the whole result; undefined if no tool writes one. */
  exported(sql: string): Promise<string | undefined>;
  /** Returns the calls, the characters of their replies, and the statements that ran, since the last call of `taken`. */
  taken(): { readonly calls: number; readonly characters: number; readonly statements: number };
}

/** Starts `quern mcp` for the source `bench`. */
export async function startQuern({ url, apiKey }: Service): Promise<Agent> {
  const env = { ...getDefaultEnvironment(), QUERN_URL: url, QUERN_API_KEY: apiKey };
  const { call, ...server } = await connect(process.execPath, [CLI, "mcp"], env);
  const dataSource = "bench";
  const answer = async (tool: string, args: object): Promise<Answer> => {
    const reply = await call(tool, args);
    const { state, runId, rows = [], totalRows, truncatedBy = null } = reply.data;
    if (state === "queued" || state === "running") return answer("read_rows", { runId });
    return { ...reply, rows, saysCut: truncatedBy !== null, total: totalRows };
  };
  const query = (sql: string, limit?: number) => answer("query", { sql, dataSource, limit });
  return {
    ...server,
    maxRows: 1_000,
    query,
    secondPage: (_, first) => answer("read_rows", { runId: JSON.parse(first.text).runId, offset: 100 }),
    async tables() {
      const texts: string[] = [];
      for (let cursor: string | undefined; texts.length === 0 || cursor; ) {
        const { text, data } = await call("list_tables", { dataSource, cursor });
        texts.push(text);
        cursor = data.nextCursor ?? undefined;
      }
      return texts.join("");
    },
    describe: async (sql) => (await call("describe_query", { sql, dataSource })).text,
    async exported(sql) {
      const { runId } = JSON.parse((await query(sql, 1)).text);
      return (await call("export_result", { runId, format: "csv" })).text;
    },
  };
}

/** Settings by which a statement of the peer reaches no file and no network, as the guide to secure DuckDB says. */
const LOCKED =
  "SET enable_external_access = false; SET allow_community_extensions = false; SET lock_configuration = true";

/** Starts MotherDuck's server on a DuckDB file, read-only, as its documents advise for other people's statements. */
export async function startMotherDuck(python: string, file: string): Promise<Agent> {
  const program = "from mcp_server_motherduck import main; main()"; // the installed script has the path of another folder
  const args = ["-c", program, "--db-path", file, "--init-sql", LOCKED, "--query-timeout", "50"];
  const { call, ...server } = await connect(python, args, getDefaultEnvironment());
  const query = async (sql: string): Promise<Answer> => {
    const reply = await call("execute_query", { sql });
    return { ...reply, rows: reply.data.rows ?? [], saysCut: reply.data.truncated === true };
  };
  return {
    ...server,
    maxRows: 1_024,
    query: (sql, limit) => query(limit === undefined ? sql : `${sql} LIMIT ${limit}`),
    secondPage: (sql) => query(`${sql} LIMIT 100 OFFSET 100`),
    tables: async () => (await call("list_tables", {})).text,
    describe: async (sql) => (await query(`DESCRIBE ${sql}`)).text,
    exported: async () => undefined,
  };
}

/** Starts an MCP server, and counts what its tools return. */
async function connect(command: string, args: readonly string[], env: Record<string, string>) {
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ command, args: [...args], env, stderr: "ignore" }));
  const { tools } = await client.listTools();
  const { name, version } = client.getServerVersion() ?? { name: command, version: "" };
  const counted = { calls: 0, characters: 0, statements: 0 };
  const runs = new Set<string>();
  return {
    name: `${name} ${version}`,
    toolCharacters: JSON.stringify(tools).length,
    async call(tool: string, given: object) {
      const reply = await client.callTool({ name: tool, arguments: { ...given } });
      const text = reply.content.map((part) => (part.type === "text" ? part.text : "")).join("");
      counted.calls += 1;
      counted.characters += text.length;
      const run = /runId"?: ?"?([\w-]+)/.exec(text)?.[1]; // only the service has runs, and none for a refused statement
      if (tool === "execute_query" || (run !== undefined && !runs.has(run))) counted.statements += 1;
      if (run !== undefined) runs.add(run);
      return { text, failed: reply.isError === true, data: reply.isError ? {} : JSON.parse(text) };
    },
    taken: () => {
      const taken = { ...counted };
      Object.assign(counted, { calls: 0, characters: 0, statements: 0 });
      return taken;
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
