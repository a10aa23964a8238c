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
  ...["yield", "globalThis", "undefined"],
  // A module that exports `then` is taken for a promise by `await import()`.
  "then",
]);

/** Function names in use by hand-written code: exports of the client and the hooks, and imports of generated files. */
export const takenFunctions: readonly string[] = [
  ...["columnsOf", "createClient", "errorName", "rowPageOf", "identifier", "isErrorOf", "list", "query", "readPage"],
  ...["resumeQuery", "rowKeysOf", "rowsOf", "shareQuery", "spans", "sql", "sqlText", "startQuery", "waitForRun"],
  "wholeResultOf",
  // The hooks export each of these with `Options` behind it.
  ...["infiniteResults", "method", "queryResults", "queryRun"],
  // Generated files import these, and the examples of the reference declare them.
  ...["client", "descriptors", "methodFunction", "methodOptions", "process", "result"],
];

/** Names of types that generated code uses, or that the client exports by hand. */
export const takenTypes: readonly string[] = [
  ...["Promise", "Readonly", "Record"],
  ...["Context", "Method", "MethodCommand", "MethodFunction", "MethodHandlers", "MethodOptions", "PolledMethod"],
  ...["Preencoded", "Schema", "SchemaTable", "ServedMethod"],
  ...["CallOptions", "Client", "ClientOptions", "CreateOptions", "Credential", "DeadlineOptions", "ErrorDetails"],
  ...["ErrorKind", "HeaderValues", "PageFilter", "PostOptions", "ResultOrigin", "SharedQuery", "SharedQueryOptions"],
  ...["ReadOptions", "WholeResult", "WholeResultOptions"],
  ...["Fetch", "HttpReply", "HttpRequest", "Interceptor", "MethodError", "PageOptions", "ReadPageOptions"],
  ...["QuernError", "Query", "QueryOptions", "QueryResult", "ResultPage", "RowOptions", "RowPage", "RowSchema"],
  ...["ServerFeatures", "Span", "SqlFragment", "SqlValue", "StartedQuery", "StateOptions", "Tracer", "Transport"],
  ...["UntypedRow", "WaitForRunOptions"],
];

/** The commands of `quern` that are written by hand. */
export const takenCommands: readonly string[] = [
  ...["configuration", "conform", "conform-client", "doctor", "keys", "mock", "query", "result", "runs", "serve"],
  ...["sources", "tenants", "usage", "verify"],
];

/** The flags that every command of a method has. */
export const takenFlags: readonly string[] = ["api-key-file", "help", "help-all", "json", "timeout-seconds", "url"];

/** The name a method has in TypeScript; a word that is reserved or taken gets `Method` behind it. */
export function identifier(methodName: string): string {
  const name = camelCase(methodName);
  return reservedWords.has(name) || takenFunctions.includes(name) ? `${name}Method` : name;
}

/** The stem of a method's types; one that would make a type which is taken gets `Method` behind it. */
export function typeStem(methodName: string): string {
  const stem = pascalCase(methodName);
  const types = [`${stem}Params`, `${stem}Result`, failureType(stem)];
  return types.some((type) => takenTypes.includes(type)) ? `${stem}Method` : stem;
}

/** The type of all errors of a method, by the stem of its types. */
export function failureType(stem: string): string {
  return `${stem}Failure`;
}

/** The function in the hooks that makes the query options of a method. */
export function optionsFunction(identifier: string): string {
  return `${identifier}Options`;
}

/** The name of a method's command and page; one that a hand-written command has gets `-method` behind it. */
export function commandName(methodName: string): string {
  const name = kebabCase(methodName);
  return takenCommands.includes(name) ? `${name}-method` : name;
}

/** The name of a member's flag; one that every command has, or that no shell flag can have, gets `param-` before it. */
export function flagName(members: readonly string[]): string {
  const name = members.map(kebabCase).join("-");
  return takenFlags.includes(name) || !/^[a-z][a-z\d-]+$/.test(name) ? `param-${name}` : name;
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
