import type { MethodModel, Model, NamedSchema, Property, SchemaNode } from "../../model.ts";
import { camelCase } from "../../names.ts";
import type { OutputFile } from "../../output-file.ts";
import { childSchemas } from "../../schema-lookup.ts";
import { declarationComment } from "../../typescript/doc-comment.ts";
import { createImports, type Imports } from "../../typescript/imports.ts";
import { Code, literal, oneLine } from "../../typescript/literal.ts";
import { sourceFile } from "../../typescript/source-file.ts";
import { constant } from "../../typescript/statement.ts";

/**
 * Generates the schemas as tables for the interpreter in `../validator.ts`, and validators for the params and result of
 * each method.
 */
export function validatorsFile(model: Model): OutputFile {
  const imports = createImports();
  imports.type("../schema-table.ts", "SchemaTable");
  imports.value("../validator.ts", "validator");
  imports.type("@quern/json-rpc/envelope", "Schema");
  const reachable = reachableSchemas(model);
  const tables = model.schemas.filter(({ name }) => reachable.has(name)).map(tableConstant);
  const validators = model.methods.flatMap((method) => [
    validatorConstant(method, "Params", method.params, imports),
    validatorConstant(method, "Result", method.result, imports),
  ]);
  return sourceFile("validators.ts", imports, [...tables, ...validators]);
}

function tableConstant({ name, schema }: NamedSchema) {
  const start = `const ${tableName(name)}: SchemaTable = `;
  // A reference is wrapped, because a table cannot be a lazy reference itself.
  const table = schema.reference === undefined ? schemaTable(schema) : { anyOf: [schemaTable(schema)] };
  return constant({
    name: tableName(name),
    type: "SchemaTable",
    initializer: literal(table, start.length),
    docs: declarationComment([], schema.pointer),
    isExported: false,
  });
}

function validatorConstant(method: MethodModel, part: "Params" | "Result", type: string, imports: Imports) {
  const pointer = part === "Params" ? `${method.pointer}/params/0/schema` : `${method.pointer}/result/schema`;
  return constant({
    name: `${method.identifier}${part}`,
    type: "Schema",
    typeArguments: [imports.type("./types.ts", type)],
    initializer: { callee: "validator", args: [new Code(tableName(type))] },
    docs: declarationComment(
      [part === "Params" ? `Checks \`params[0]\` of \`${method.name}\`.` : `Checks the result of \`${method.name}\`.`],
      pointer,
    ),
  });
}

/** Converts a schema to a table for the interpreter: keywords of the document, lazy references, no descriptions. */
function schemaTable(schema: SchemaNode): Readonly<Record<string, unknown>> {
  if (schema.reference !== undefined) return { ref: new Code(`() => ${tableName(schema.reference)}`) };
  const { types, properties, additionalProperties, propertyNames, items, anyOf, limits } = schema;
  const required = properties.filter((property) => property.required).map((property) => property.name);
  return {
    ...(types.length > 0 && { type: types.length === 1 ? types[0] : types }),
    ...(schema.enum && { enum: schema.enum }),
    ...(schema.const && { const: schema.const.value }),
    ...(properties.length > 0 && {
      properties: Object.fromEntries(properties.map((property) => [property.name, propertyTable(property)])),
    }),
    ...(required.length > 0 && { required }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === "object" ? schemaTable(additionalProperties) : additionalProperties,
    }),
    ...(propertyNames && { propertyNames: schemaTable(propertyNames) }),
    ...(items && { items: schemaTable(items) }),
    ...(anyOf && { anyOf: anyOf.map(schemaTable) }),
    ...limits,
  };
}

/**
 * Adds a type to members that every object inherits, such as `constructor`, for which TypeScript would infer the type
 * of `Object`.
 */
function propertyTable({ name, schema }: Property): unknown {
  const table = schemaTable(schema);
  const isInherited = schema.reference === undefined && name in Object.prototype;
  return isInherited ? new Code(`${oneLine(table)} satisfies SchemaTable`) : table;
}

/** Returns the names of the schemas of params and results, including the schemas that they refer to. */
function reachableSchemas(model: Model): ReadonlySet<string> {
  const byName = new Map(model.schemas.map(({ name, schema }) => [name, schema]));
  const reached = new Set<string>();
  const visit = (name: string): void => {
    const schema = byName.get(name);
    if (schema === undefined || reached.has(name)) return;
    reached.add(name);
    visitSchema(schema);
  };
  const visitSchema = (schema: SchemaNode): void => {
    if (schema.reference !== undefined) visit(schema.reference);
    for (const child of childSchemas(schema)) visitSchema(child);
  };
  for (const method of model.methods) for (const name of [method.params, method.result]) visit(name);
  return reached;
}

function tableName(schemaName: string): string {
  return `${camelCase(schemaName)}Table`;
}
