import type { Table } from "@quern/client";

/** Quotes a name. Quotes are always valid, and needed for names with other characters, capitals or keywords. */
const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Names that no engine reserves and that all engines read as they are written. */
const isPlain = (name: string): boolean => /^[a-z_][a-z0-9_]*$/.test(name) && !RESERVED.has(name);

const RESERVED = new Set(
  "all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create cross current_date current_time current_timestamp default deferrable desc describe distinct do else end except false fetch for foreign from full grant group having in initially inner intersect into is join lateral leading left like limit localtime natural not null offset on only or order outer pivot placing primary qualify references returning right select show some summarize symmetric table then to trailing true union unique unpivot user using variadic when where window with".split(
    " ",
  ),
);

/** Returns a name as it stands in SQL, quoted if it has to be. */
export const sqlName = (name: string): string => (isPlain(name) ? name : quoted(name));

/** Returns the qualified name of a table as it stands in SQL. */
export const qualifiedName = ({ catalog, schema, name }: Table): string =>
  [catalog, schema, name]
    .filter((part) => part !== "")
    .map(sqlName)
    .join(".");
