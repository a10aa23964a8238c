/** Valid method that looks like a mistake or is difficult in TypeScript. */
export interface WorkingSeed {
  readonly title: string;
  /** Method in the document. The test calls its only example, and the mock answers with it. */
  readonly method: Readonly<Record<string, unknown>> & { readonly name: string };
  readonly schemas: Readonly<Record<string, unknown>>;
  readonly params: unknown;
  readonly result: unknown;
  /** Name of its function in TypeScript. */
  readonly identifier: string;
  /** Words of its command, the name first. */
  readonly words: readonly string[];
}

interface WorkingOptions {
  readonly name?: string;
  readonly identifier?: string;
  readonly command?: string;
  /** Schemas of the members of the params. All are required, so that the mock refuses a call that lost one. */
  readonly members?: Readonly<Record<string, unknown>>;
  readonly params?: object;
  readonly flags?: readonly string[];
  readonly result?: unknown;
  readonly answer?: unknown;
  readonly schemas?: Readonly<Record<string, unknown>>;
  /** Other members of the method. */
  readonly more?: object;
}

let count = 0;

/** Creates a seed. By default the method has no params and returns the text "done". */
export function working(title: string, options: WorkingOptions): WorkingSeed {
  count += 1;
  const { name = `seed${count}` } = options;
  const { identifier = name, command = name, members = {}, params = {}, flags = [] } = options;
  const { result = { type: "string" }, answer = "done", schemas = {}, more = {} } = options;
  const schema = { type: "object", properties: members, required: Object.keys(members), additionalProperties: false };
  const example = {
    name: "one call",
    params: [{ name: "request", value: params }],
    result: { name: "result", value: answer },
  };
  const method = {
    name,
    paramStructure: "by-position",
    params: [{ name: "request", required: true, schema }],
    result: { name: "result", schema: result },
    examples: [example],
    ...more,
  };
  return { title, method, schemas, params, result: answer, identifier, words: [command, ...flags] };
}
