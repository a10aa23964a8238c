import type { RowsQuery } from "@quern/react";

export interface Panel {
  readonly title: string;
  readonly query: RowsQuery;
}

/** Each query needs `maxAgeMinutes`: without it the browser runs the query again, because the rows of the server are stale. */
export const panels: readonly Panel[] = [
  {
    title: "Origins",
    query: { sql: "select origin, count(*) as cars from cars group by origin order by origin", maxAgeMinutes: 60 },
  },
];
