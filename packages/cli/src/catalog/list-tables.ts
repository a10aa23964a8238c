import { type CallOptions, type Client, listTables } from "@quern/client";

export type Tables = Awaited<ReturnType<typeof listTables>>["tables"];
type Conditions = Pick<Parameters<typeof listTables>[1], "dataSource" | "dataProvider" | "search">;

/** Reads all tables that meet the conditions. Those of the default data source come first. */
export async function allTables(client: Client, conditions: Conditions, options: CallOptions): Promise<Tables> {
  const found: Tables[number][] = [];
  let cursor: string | undefined;
  do {
    const { tables, nextCursor } = await listTables(client, { ...conditions, limit: 1_000, cursor }, options);
    found.push(...tables);
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
  return found;
}
