/** Splits `getQueryRun`, `query.explain-plan` and `HTTPStatus` into lower-case words. */
function words(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase());
}

/** `query.explain-plan` -> `query-explain-plan`. */
export function kebabCase(name: string): string {
  return words(name).join("-");
}

/**
 * `query.explain-plan` -> `QueryExplainPlan`; a name without separators keeps its inner capitals (`getTTL` ->
 * `GetTTL`).
 */
export function pascalCase(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join("");
}

/** `query.explain-plan` -> `queryExplainPlan`, `QueryRun` -> `queryRun`. */
export function camelCase(name: string): string {
  const pascal = pascalCase(name);
  return pascal.charAt(0).toLowerCase() + pascal.slice(1);
}

const reservedWords = new Set([
  ...["arguments", "await", "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete"],
  ...["do", "else", "enum", "eval", "export", "extends", "false", "finally", "for", "function", "if", "implements"],
  ...["import", "in", "instanceof", "interface", "let", "new", "null", "package", "private", "protected", "public"],
  ...["return", "static", "super", "switch", "this", "throw", "true", "try", "typeof", "var", "void", "while", "with"],
  ...["yield"],
]);

/** The name a method has in TypeScript; a reserved word gets `Method` behind it. */
export function identifier(methodName: string): string {
  const name = camelCase(methodName);
  return reservedWords.has(name) ? `${name}Method` : name;
}

/** A key as it is written in an object or an interface: quoted only where it must be. */
export function propertyKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) && name !== "__proto__" ? name : JSON.stringify(name);
}

/** The singular of a plural member name, for flags that repeat: `tags` -> `tag`, `queries` -> `query`. */
export function singular(name: string): string {
  if (name.endsWith("ies")) return `${name.slice(0, -3)}y`;
  return name.endsWith("s") && !name.endsWith("ss") ? name.slice(0, -1) : name;
}

/** The type of an error: `QueryRunNotFound` -> `QueryRunNotFoundError`; a name that ends so already is kept. */
export function errorTypeName(name: string): string {
  return name.endsWith("Error") ? name : `${name}Error`;
}
