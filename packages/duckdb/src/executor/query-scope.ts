import { significantPieces } from "./statement-text.ts";

/** Word, quoted name or sign. */
interface Token {
  readonly text: string;
  readonly end: number;
}

/** Content of brackets, or the whole text. */
interface Group {
  readonly nodes: Node[];
  readonly start: number;
  end: number;
}

type Node = Token | Group;

/** Table, subquery or table function of a FROM clause, or a common table expression. */
export interface Relation {
  /** Name that qualifies its columns. */
  readonly name: string;
  /** Parts of the name of a table. Absent for a subquery or a table function. */
  readonly path?: readonly string[];
  /** Query of a subquery. */
  readonly query?: Query;
  /** Columns that the statement names, as in `t(a, b)`. */
  readonly columns: readonly string[];
}

/** Name of a column, or the relation of a star, "" for all. */
interface Item {
  readonly name?: string;
  readonly star?: string;
}

/** Relations of a query. */
export interface Query {
  readonly relations: readonly Relation[];
  readonly expressions: readonly Relation[];
  /** Columns that it returns, if they are known, without those that it does not name. */
  readonly items: readonly Item[] | undefined;
}

/** Words that neither name a relation nor are its alias. */
const reserved = new Set(
  `anti as asof at cross except fetch for from full group having inner intersect join left limit natural offset on order
  pivot positional qualify returning right sample select semi set tablesample union unpivot using values when where window
  with`.split(/\s+/),
);

const setWords = ["union", "except", "intersect", ";"];
const relationWords = ["from", "join", "describe", "pivot", "summarize", "table", "unpivot"];
const endWords = ["where", "group", "having", "limit", "order", "qualify", "select", "window"];

/** Returns whether a relation follows a word. */
export function isBeforeRelation(word: string): boolean {
  return relationWords.includes(word.toLowerCase());
}

/** Returns the name that a word or a quoted name writes. Undefined for any other text. */
export function nameOf(text: string): string | undefined {
  if (text.length > 1 && text.startsWith('"')) return text.slice(1, -1).replaceAll('""', '"');
  return /^[\p{L}_]/u.test(text) ? text : undefined;
}

/**
 * Returns the queries around a position, the innermost first. The text needs not be complete, so it is read by its words
 * and brackets.
 */
export function scopeAt(sql: string, position: number): readonly Query[] {
  const found: Query[] = [];
  let group: Group | undefined = treeOf(sql);
  while (group !== undefined) {
    found.unshift(queryOf(group, position));
    const inner: Node | undefined = group.nodes.find(
      (node) => isGroup(node) && node.start <= position && position <= node.end,
    );
    group = inner !== undefined && isGroup(inner) ? inner : undefined;
  }
  return found;
}

function treeOf(sql: string): Group {
  const root: Group = { nodes: [], start: 0, end: sql.length };
  const outer: Group[] = [];
  let current = root;
  for (const { text, end } of significantPieces(sql))
    if (/^[([{]$/.test(text)) {
      const group: Group = { nodes: [], start: end, end: sql.length };
      current.nodes.push(group);
      outer.push(current);
      current = group;
    } else if (/^[)\]}]$/.test(text)) {
      const parent = outer.pop();
      if (parent === undefined) continue;
      current.end = end - 1;
      current = parent;
    } else current.nodes.push({ text, end });
  return root;
}

/** Returns the part of a union at a position. @param depth Levels of subqueries that are read. */
function queryOf(group: Group, position: number, depth = 8): Query {
  let nodes: Node[] = [];
  for (const node of group.nodes)
    if (!isWord(node, ...setWords)) nodes.push(node);
    else if (node.end > position) break;
    else nodes = [];
  return {
    relations: relationsOf(nodes, depth),
    expressions: expressionsOf(group.nodes, depth),
    items: itemsOf(nodes),
  };
}

function relationsOf(nodes: readonly Node[], depth: number): readonly Relation[] {
  const found: Relation[] = [];
  let isInFrom = false;
  for (let at = 0; at < nodes.length; at += 1) {
    const node = nodes[at];
    if (isWord(node, ...endWords)) isInFrom = false;
    const isBefore = isWord(node, ...relationWords) || (isInFrom && isWord(node, ","));
    if (!isBefore) continue;
    isInFrom = true;
    const read = relationAt(nodes, isWord(nodes[at + 1], "lateral") ? at + 2 : at + 1, depth);
    found.push(...read.relations);
    at = read.next - 1;
  }
  return found;
}

function relationAt(nodes: readonly Node[], start: number, depth: number) {
  let next = start;
  const first = nodes[next];
  const path: string[] = [];
  let query: Query | undefined;
  if (first !== undefined && isGroup(first)) {
    next += 1;
    const isQuery = isWord(first.nodes[0], "select", "with", "from", "values", "pivot", "unpivot") || depth <= 0;
    // Joined relations in parentheses.
    if (!isQuery) return { relations: relationsOf([{ text: "from", end: 0 }, ...first.nodes], depth - 1), next };
    if (depth > 0) query = queryOf(first, first.start, depth - 1);
  } else
    for (let name = relationName(nodes[next]); name !== undefined; name = relationName(nodes[next])) {
      path.push(name);
      next += 1;
      if (!isWord(nodes[next], ".")) break;
      next += 1;
    }
  if (next === start) return { relations: [], next };
  const isCall = path.length > 0 && isGroup(nodes[next]);
  if (isCall) next += 1;
  if (isWord(nodes[next], "as")) next += 1;
  const alias = relationName(nodes[next]);
  if (alias !== undefined) next += 1;
  const columns = alias === undefined ? [] : columnNames(nodes[next]);
  const name = alias ?? path.at(-1) ?? "";
  const relation: Relation = { name, columns, ...(query ? { query } : path.length > 0 && !isCall ? { path } : {}) };
  return { relations: [relation], next };
}

function relationName(node: Node | undefined): string | undefined {
  if (node === undefined || isGroup(node) || reserved.has(node.text.toLowerCase())) return undefined;
  return nameOf(node.text);
}

function columnNames(node: Node | undefined): readonly string[] {
  if (node === undefined || !isGroup(node)) return [];
  return node.nodes.flatMap((each) => (isGroup(each) ? [] : (nameOf(each.text) ?? [])));
}

/** Returns the common table expressions of a query. */
function expressionsOf(nodes: readonly Node[], depth: number): readonly Relation[] {
  return nodes.flatMap((node, at) => {
    const previous = nodes[at - 1];
    const name = isWord(previous, "with", "recursive", ",") ? relationName(node) : undefined;
    if (name === undefined || depth <= 0) return [];
    let next = at + 1;
    const columns = columnNames(nodes[next]);
    if (isGroup(nodes[next])) next += 1;
    if (!isWord(nodes[next], "as")) return [];
    next += 1;
    while (isWord(nodes[next], "not", "materialized")) next += 1;
    const body = nodes[next];
    return body !== undefined && isGroup(body) ? [{ name, columns, query: queryOf(body, body.start, depth - 1) }] : [];
  });
}

function itemsOf(nodes: readonly Node[]): Query["items"] {
  const select = nodes.findIndex((node) => isWord(node, "select"));
  if (select < 0) return isWord(nodes[0], "from") ? [{ star: "" }] : undefined;
  const lists: Node[][] = [[]];
  for (const node of nodes.slice(select + 1)) {
    if (isWord(node, "from", ...endWords)) break;
    if (isWord(node, ",")) lists.push([]);
    else lists.at(-1)?.push(node);
  }
  return lists.flatMap(itemOf);
}

function itemOf(nodes: readonly Node[]): readonly Item[] {
  const [first, second] = nodes;
  const last = nodes.at(-1);
  // DuckDB's `name: expression`.
  if (first !== undefined && !isGroup(first) && isWord(second, ":")) return named(first);
  const star = nodes.findIndex((node) => isWord(node, "*"));
  const isStar = star >= 0 && (star === 0 || isWord(nodes[star - 1], ".", "distinct", "all"));
  const qualifier = nodes[star - 2];
  if (isStar && isWord(nodes[star - 1], ".") && qualifier !== undefined && !isGroup(qualifier))
    return [{ star: nameOf(qualifier.text) ?? "" }];
  if (isStar) return [{ star: "" }];
  return last === undefined || isGroup(last) || isWord(last, "end", "null", "true", "false") ? [] : named(last);
}

function named({ text }: Token): readonly Item[] {
  const name = nameOf(text);
  return name === undefined ? [] : [{ name }];
}

function isGroup(node: Node | undefined): node is Group {
  return node !== undefined && "nodes" in node;
}

function isWord(node: Node | undefined, ...words: readonly string[]): boolean {
  return node !== undefined && !isGroup(node) && words.includes(node.text.toLowerCase());
}
