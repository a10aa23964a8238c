/** Type of DuckDB, parsed from its name. */
export type EngineType =
  | { readonly kind: "scalar"; readonly name: string; readonly precision?: number }
  | { readonly kind: "enum"; readonly words: readonly string[] }
  | { readonly kind: "list"; readonly element: EngineType }
  | { readonly kind: "map"; readonly value: EngineType }
  | { readonly kind: "struct" | "union"; readonly members: readonly (readonly [name: string, type: EngineType])[] };

const token = /\s*('(?:[^']|'')*'|"(?:[^"]|"")*"|[A-Za-z_][\w$]*|\d+|[(),[\]])/y;

/** Parses a type of DuckDB, such as `STRUCT("a" INTEGER[])`. Returns undefined for any other text, such as a type of Trino. */
export function parseEngineType(text: string): EngineType | undefined {
  const tokens: string[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const [, found] = token.exec(text) ?? [];
    if (found === undefined) return undefined;
    tokens.push(found);
  }
  let at = 0;
  try {
    const type = typeAt();
    return at === tokens.length ? type : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }

  function take(expected?: string): string {
    const next = tokens[at];
    if (next === undefined || (expected !== undefined && next !== expected)) throw new SyntaxError(text);
    at += 1;
    return next;
  }

  function typeAt(): EngineType {
    let type = plainTypeAt();
    while (tokens[at] === "[") {
      take("[");
      if (tokens[at] !== "]") take();
      take("]");
      type = { kind: "list", element: type };
    }
    return type;
  }

  function plainTypeAt(): EngineType {
    const words = [take()];
    while (/^[A-Z]/.test(tokens[at] ?? "")) words.push(take());
    const name = words.join(" ");
    const isNamed = tokens[at] === "(";
    if (isNamed && name === "ENUM") return { kind: "enum", words: listAt(() => unquoted(take())) };
    if (isNamed && (name === "STRUCT" || name === "UNION")) {
      const members = listAt(() => [unquoted(take()), typeAt()] as const);
      return { kind: name === "STRUCT" ? "struct" : "union", members };
    }
    if (isNamed && name === "MAP") {
      const [, value] = listAt(typeAt);
      if (value === undefined) throw new SyntaxError(text);
      return { kind: "map", value };
    }
    if (!isNamed) return { kind: "scalar", name };
    const [precision] = listAt(take);
    return { kind: "scalar", name, precision: Number(precision) };
  }

  function listAt<T>(element: () => T): readonly T[] {
    take("(");
    const elements = [element()];
    while (tokens[at] === ",") {
      take(",");
      elements.push(element());
    }
    take(")");
    return elements;
  }
}

function unquoted(text: string): string {
  const [quote = ""] = text;
  return /['"]/.test(quote) ? text.slice(1, -1).replaceAll(quote + quote, quote) : text;
}
