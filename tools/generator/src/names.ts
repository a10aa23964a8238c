import { readdirSync } from "node:fs";

/** Splits `getQueryRun`, `query.explain-plan` and `HTTPStatus` into lower-case words. */
function words(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase());
}

/** Converts `query.explain-plan` to `query-explain-plan`. */
export function kebabCase(name: string): string {
  return words(name).join("-");
}

/**
 * Converts `query.explain-plan` to `QueryExplainPlan`. A name without separators keeps its inner capitals: `getTTL`
 * becomes `GetTTL`.
 */
export function pascalCase(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join("");
}

/** Converts `query.explain-plan` to `queryExplainPlan`, and `QueryRun` to `queryRun`. */
export function camelCase(name: string): string {
  const pascal = pascalCase(name);
  return pascal.charAt(0).toLowerCase() + pascal.slice(1);
}

/** Returns the words of a text. */
function wordList(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

// The last one is not reserved, but `await import()` takes a module that exports `then` for a promise.
const reservedWords = new Set(
  wordList(`
  arguments await break case catch class const continue debugger default delete do else enum eval export extends
  false finally for function if implements import in instanceof interface let new null package private protected
  public return static super switch this throw true try typeof var void while with yield globalThis undefined then
  `),
);

/** Function names of hand-written code: exports of the client and the hooks, and imports of generated files. */
export const takenFunctions: readonly string[] = [
  ...wordList(`
    checkParameters columnsOf createClient errorName rowPageOf identifier isErrorOf list query readPage resumeQuery
    rowKeysOf rowsOf shareQuery spans sql sqlText startQuery uploadFile waitForRun wholeResultOf
  `),
  // The hooks export these names with the suffix `Options`.
  ...wordList("infiniteResults method queryResults queryRun"),
  // Generated files import these names, and the examples of the reference declare them.
  ...wordList("client descriptors methodFunction methodOptions process result"),
];

/** Type names that generated code uses, or that the client exports by hand. */
export const takenTypes = wordList(`
  Promise Readonly Record Context Method MethodCommand MethodFunction MethodHandlers MethodOptions PolledMethod
  Preencoded Schema SchemaTable ServedMethod AnyError CallOptions Client ClientOptions ColumnName ColumnSortBy
  CreateOptions Credential DeadlineOptions DetailsByKind ErrorDetails ErrorKind ErrorOf HeaderValues PageFilter
  PostOptions ResultIterator ResultOrigin SharedQuery
  SharedQueryOptions ReadOptions WholeResult WholeResultOptions Fetch HttpReply HttpRequest Interceptor
  MethodError PageOptions ReadPageOptions QuernError Query QueryOptions QueryResult ResultPage RowOptions RowPage
  RowSchema ServerFeatures Span SqlFragment SqlValue StartedQuery StartOptions StateOptions Tracer Transport UntypedRow
  FileBytes UploadFileOptions WaitForRunOptions
`);

const commandFolders = new URL("../../../packages/cli/src/commands/", import.meta.url);

/** Hand-written commands of `quern`: the command line has a folder for each. */
export const takenCommands: readonly string[] = readdirSync(commandFolders, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .concat("version") // of one line, so it has no folder
  .sort();

/** Flags of every method's command. */
export const takenFlags: readonly string[] = [
  "api-key-file",
  "help",
  "help-all",
  "json",
  "profile",
  "timeout-seconds",
  "url",
];

/** Returns the name of a method in TypeScript. A reserved word or a name in use gets the suffix `Method`. */
export function identifier(methodName: string): string {
  const name = camelCase(methodName);
  return reservedWords.has(name) || takenFunctions.includes(name) ? `${name}Method` : name;
}

/** Returns the stem of a method's type names. A stem that would clash gets the suffix `Method`. */
export function typeStem(methodName: string): string {
  const stem = pascalCase(methodName);
  const types = [`${stem}Params`, `${stem}Result`, failureType(stem)];
  return types.some((type) => takenTypes.includes(type)) ? `${stem}Method` : stem;
}

/** Returns the type of all errors of a method, by the stem of its types. */
export function failureType(stem: string): string {
  return `${stem}Failure`;
}

/** Returns the name of the function in `@quern/query-options` that creates the query options of a method. */
export function optionsFunction(identifier: string): string {
  return `${identifier}Options`;
}

/** Returns the name of a method's command and page. The name of a hand-written command gets the suffix `-method`. */
export function commandName(methodName: string): string {
  const name = kebabCase(methodName);
  return takenCommands.includes(name) ? `${name}-method` : name;
}

/** Returns the flag of a member. A flag of every command, or an invalid flag, gets the prefix `param-`. */
export function flagName(members: readonly string[]): string {
  const name = members.map(kebabCase).join("-");
  return takenFlags.includes(name) || !/^[a-z][a-z\d-]+$/.test(name) ? `param-${name}` : name;
}

/** Returns a key of an object or an interface, quoted only if necessary. */
export function propertyKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) && name !== "__proto__" ? name : JSON.stringify(name);
}

/** Returns the singular of a member name, for flags that repeat: `tag` for `tags`, `query` for `queries`. */
export function singular(name: string): string {
  if (name.endsWith("ies")) return `${name.slice(0, -3)}y`;
  return name.endsWith("s") && !name.endsWith("ss") ? name.slice(0, -1) : name;
}

/**
 * Returns the type of an error: `QueryRunNotFoundError` for `QueryRunNotFound`. A name that ends so already is kept.
 */
export function errorTypeName(name: string): string {
  return name.endsWith("Error") ? name : `${name}Error`;
}
