import { existsSync, readFileSync } from "node:fs";
import type { Agent, Answer } from "./servers.ts";

/** Table of a million rows, and table whose rows an agent reads by pages. */
export const TABLES = [
  "CREATE TABLE orders AS SELECT range AS id, range % 1000 AS customer, range / 7.0 AS amount, 'order ' || range AS note FROM range(1000000)",
  "CREATE TABLE events AS SELECT range AS id, 'event ' || range AS note FROM range(1000)",
  ...Array.from({ length: 300 }, (_, k) => `CREATE TABLE ledger_${k} (id BIGINT, booked DATE, amount DECIMAL(12,2))`),
];

/** Files, statement and change that the questions need beside the tables. */
interface Circumstances {
  /** File with {@link SECRET}, which no statement may read. */
  readonly secret: string;
  /** Path of a file that no statement may write. */
  readonly target: string;
  /** Statement of at least about 70 seconds. */
  readonly slowSql: string;
  /** Adds fifty rows before the first row of the table `events` in descending order. */
  change(): Promise<void>;
}

export const SECRET = "the secret of the machine";

/** Question of an agent. Its answer is judged in words of the table. */
export interface Question {
  readonly name: string;
  ask(agent: Agent, circumstances: Circumstances): Promise<string>;
}

const judged = (name: string, sql: string, judge: (answer: Answer) => string): Question => ({
  name,
  ask: async (agent) => judge(await agent.query(sql)),
});
const right = (is: boolean): string => (is ? "right" : "wrong");
const refused = (is: boolean): string => (is ? "refused" : "not refused");

export const QUESTIONS: readonly Question[] = [
  judged("Count of a million rows", "SELECT count(*) FROM orders", ({ rows }) => right(rows[0]?.[0] === 1_000_000)),
  judged("All rows of a million", "SELECT * FROM orders ORDER BY id", ({ saysCut, total }) => {
    if (!saysCut) return "cut silently";
    return total === 1_000_000 ? "cut, with the total" : "cut, without the total";
  }),
  {
    name: "As many rows as a reply may have",
    async ask(agent) {
      const { rows, saysCut } = await agent.query(`SELECT id FROM orders WHERE id < ${agent.maxRows}`, agent.maxRows);
      return right(rows.length === agent.maxRows && !saysCut);
    },
  },
  judged("Integer 2^53 + 1", "SELECT 9007199254740993 AS n", ({ text }) => right(text.includes("9007199254740993"))),
  judged("Cell of 1 MB beside a number", "SELECT 7 AS n, repeat('x', 1000000) AS t", ({ rows, saysCut, text }) => {
    if (rows[0]?.[0] !== 7) return saysCut ? "no row, says so" : "cut silently";
    return /cut: 1000000/.test(text) ? "cut, with the length" : "cut silently";
  }),
  judged("Wrong name of a column", "SELECT custmer FROM orders", ({ failed, text }) =>
    right(failed && /customer/.test(text)),
  ),
  {
    name: "List of 302 tables",
    ask: async (agent) => right(new Set((await agent.tables()).match(/"(ledger_\d+|orders|events)"/g)).size === 302),
  },
  {
    name: "Columns of a statement",
    async ask(agent) {
      const text = await agent.describe("SELECT customer, sum(amount) AS total FROM orders GROUP BY ALL");
      return right(/customer[\s\S]*BIGINT[\s\S]*total[\s\S]*DOUBLE/.test(text));
    },
  },
  {
    name: "Read a file of the machine",
    async ask(agent, { secret }) {
      const { failed, text } = await agent.query(`SELECT content FROM read_text('${secret}')`);
      return refused(failed && !text.includes(readFileSync(secret, "utf8")));
    },
  },
  {
    name: "`COPY TO` a file, and `INSTALL`",
    async ask(agent, { target }) {
      const answers = [await agent.query(`COPY events TO '${target}'`), await agent.query("INSTALL httpfs")];
      return refused(answers.every(({ failed }) => failed) && !existsSync(target));
    },
  },
  {
    name: "Second page while the table changes",
    async ask(agent, { change }) {
      const sql = "SELECT id FROM events ORDER BY id DESC";
      const first = await agent.query(sql, 100);
      await change();
      const second = await agent.secondPage(sql, first);
      const expected = first.rows.map(([id]) => Number(id) - 100);
      return right(String(second.rows.flat()) === String(expected));
    },
  },
  judged("Null beside an empty text", "SELECT NULL::VARCHAR AS a, '' AS b", ({ rows }) =>
    right(rows[0]?.[0] === null && rows[0][1] === ""),
  ),
  judged("Nested values", "SELECT {'a': 1, 'b': [1, NULL, 3]} AS s, MAP {'k': 'v'} AS m", ({ rows }) =>
    right(JSON.stringify(rows) === '[[{"a":1,"b":[1,null,3]},{"k":"v"}]]'),
  ),
  {
    name: "File of all rows",
    async ask(agent) {
      const text = await agent.exported("SELECT * FROM orders");
      return text === undefined ? "no tool" : right(/https?:/.test(text));
    },
  },
  {
    name: "Statement of 70 seconds",
    async ask(agent, { slowSql }) {
      const { failed, rows } = await agent.query(slowSql);
      return failed ? "ended after 50 s, says so" : right(rows.length === 1);
    },
  },
];
