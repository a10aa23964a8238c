import { type Corpus, readCorpora, readDocument } from "../../src/index.ts";

/** Optional members that a server of the basic interface does not accept. */
const extensions = ["parameters", "idempotencyKey", "waitSeconds", "results", "filters", "sortBy", "uploads"];
const basicMethods = ["createQueryRun", "getQueryRun", "getQueryRunResults"];

interface Method {
  readonly name: string;
  readonly examples: readonly { readonly params: unknown }[];
  readonly links: readonly { readonly method: string }[];
}

interface Document {
  readonly methods: readonly Method[];
  readonly components: { readonly schemas: Readonly<Record<string, { readonly properties?: object }>> };
}

/** Returns the document of a server with the three basic methods, without their optional members. */
export async function basicDocument(): Promise<unknown> {
  const document = (await readDocument()) as Document; // The document of this repository has methods and schemas.
  const isBasic = ({ params }: { readonly params: unknown }) =>
    !extensions.some((name) => JSON.stringify(params).includes(`"${name}"`));
  const methods = document.methods
    .filter(({ name }) => basicMethods.includes(name))
    .map((method) => ({
      ...method,
      examples: method.examples.filter(isBasic),
      links: method.links.filter((link) => basicMethods.includes(link.method)),
    }));
  const schemas = Object.entries(document.components.schemas).map(([name, { properties, ...schema }]) => {
    const kept = Object.entries(properties ?? {}).filter(([member]) => !extensions.includes(member));
    const isParams = name.endsWith("Params") && properties !== undefined;
    return [
      name,
      isParams ? { ...schema, properties: Object.fromEntries(kept) } : { ...schema, ...(properties && { properties }) },
    ];
  });
  return { ...document, methods, components: { ...document.components, schemas: Object.fromEntries(schemas) } };
}

/** Returns the corpora without those generated from the whole document. */
export async function basicCorpora(): Promise<readonly Corpus[]> {
  return (await readCorpora()).filter(({ profile }) => profile !== "schemas");
}
