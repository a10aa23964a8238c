import { createHash } from "node:crypto";
import { type Mutant, mutant, params, results } from "./mutant.ts";
import type { Json } from "./proxy.ts";

/** Faults of lists, batches and statements. */
export const listMutants: readonly Mutant[] = [
  mutant(
    "drops a run from page 2 of a list",
    "LIST-003",
    results("listQueryRuns", ({ result, params }) => {
      if (params.cursor && result.queryRuns.length > 1) result.queryRuns.pop();
    }),
  ),
  mutant(
    "lists the first page again and again",
    "LIST-003",
    params("listQueryRuns", (given) => {
      if (given.cursor !== "no-such-cursor") given.cursor = undefined;
    }),
  ),
  mutant(
    "never ends a list",
    "LIST-003",
    results("listQueryRuns", ({ result, params }) => {
      result.nextCursor ??= params.cursor ?? null;
    }),
  ),
  mutant(
    "lists oldest runs first on page 2",
    "LIST-003",
    results("listQueryRuns", ({ result, params }) => {
      if (params.cursor) result.queryRuns.reverse();
    }),
  ),
  mutant(
    "lists runs that lack a tag",
    "LIST-001",
    params("listQueryRuns", ({ tags }) => {
      if (tags) delete tags.env;
    }),
  ),
  mutant(
    "ignores states in a list",
    "LIST-002",
    params("listQueryRuns", (given) => {
      given.states = undefined;
    }),
  ),
  mutant(
    "ignores the latest time of a list",
    "LIST-006",
    params("listQueryRuns", (given) => {
      given.until = undefined;
    }),
  ),
  mutant(
    "ignores the text of a list",
    "LIST-007",
    params("listQueryRuns", (given) => {
      given.text = undefined;
    }),
  ),
  mutant(
    "profiles all rows in place of the filtered ones",
    "PROFILE-001",
    params("getColumnProfile", (given) => {
      if (given.filters?.[0]?.column !== "no_such_column") given.filters = undefined;
    }),
  ),
  mutant(
    "summarizes all rows in place of the filtered ones",
    "SUMMARY-001",
    params("summarizeQueryRunResults", (given) => {
      given.filters = undefined;
    }),
  ),
  mutant("mixes up the ids of a batch", "RESULT-002", () => ({
    batch: (replies) => {
      const [first, second] = replies.filter(({ result }) => result?.queryRun);
      if (second) [first.id, second.id] = [second.id, first.id];
    },
  })),
  mutant("mixes up the rows of a batch", "RESULT-002", () => ({
    batch: (replies) => {
      const [first, second] = replies.filter(({ result }) => result?.rows);
      if (second) [first.result.rows, second.result.rows] = [second.result.rows, first.result.rows];
    },
  })),
  mutant(
    "trims statements",
    "STATEMENT-002",
    params("createQueryRun", (given) => {
      given.sql = given.sql?.trim();
    }),
  ),
  mutant(
    "hashes the trimmed statement",
    "STATEMENT-002",
    results("createQueryRun", ({ result }) => {
      const { sql } = result.sqlStatement;
      result.sqlStatement.statementHash = createHash("sha256").update(sql.trim()).digest("hex");
    }),
  ),
  mutant("begins the next page of a list at an offset", "LIST-005", () => {
    let created = 0;
    const pages = new Map<Json, { readonly created: number; readonly last: Json }>();
    return {
      reply: ({ call, reply }) => {
        if (!reply.result) return;
        if (call.method === "createQueryRun") created++;
        if (call.method !== "listQueryRuns") return;
        const { queryRuns, nextCursor } = reply.result;
        const before = pages.get(call.params[0]?.cursor);
        if (before !== undefined && created > before.created) queryRuns.unshift(before.last);
        pages.set(nextCursor, { created, last: queryRuns.at(-1) });
      },
    };
  }),
];
