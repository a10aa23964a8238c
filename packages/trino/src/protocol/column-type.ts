import type { ColumnKind } from "@quern/query-run/record";

/** Type of a column as Trino's protocol describes it. */
export interface TypeSignature {
  readonly rawType: string;
  readonly arguments: readonly TypeArgument[];
}

/** Argument of a type: a number, the type of elements, or a named field of a row. */
type TypeArgument =
  | { readonly kind: "LONG"; readonly value: number }
  | { readonly kind: "TYPE"; readonly value: TypeSignature }
  | { readonly kind: "NAMED_TYPE"; readonly value: NamedType };

interface NamedType {
  readonly fieldName?: { readonly name: string } | null;
  readonly typeSignature: TypeSignature;
}

interface TypeForm {
  readonly kind: ColumnKind;
  /** Type in the notation of DuckDB. */
  readonly stored: string;
}

const text: TypeForm = { kind: "string", stored: "VARCHAR" };
const timestamp: TypeForm = { kind: "date", stored: "TIMESTAMP" };
const timestampWithZone: TypeForm = { kind: "date", stored: "TIMESTAMP WITH TIME ZONE" };

/** Forms of the types. A type that is missing here, such as `ipaddress` or an interval, is stored as its text. */
const forms: ReadonlyMap<string, TypeForm> = new Map([
  ["boolean", { kind: "boolean", stored: "BOOLEAN" }],
  ["tinyint", { kind: "number", stored: "TINYINT" }],
  ["smallint", { kind: "number", stored: "SMALLINT" }],
  ["integer", { kind: "number", stored: "INTEGER" }],
  ["bigint", { kind: "number", stored: "BIGINT" }],
  ["real", { kind: "number", stored: "FLOAT" }],
  ["double", { kind: "number", stored: "DOUBLE" }],
  ["date", { kind: "date", stored: "DATE" }],
  ["time", { kind: "string", stored: "TIME" }],
  ["time with time zone", { kind: "string", stored: "TIME WITH TIME ZONE" }],
  ["timestamp", timestamp],
  ["timestamp with time zone", timestampWithZone],
  ["varbinary", { kind: "string", stored: "BLOB" }],
  ["uuid", { kind: "string", stored: "UUID" }],
  ["json", { kind: "object", stored: "JSON" }],
]);

/** Digits of a second that DuckDB's times have. Times with more digits are stored as text, which keeps them. */
const maxPrecision = 6;

/** Returns the type of a column's values, in the notation of DuckDB. */
export function storedTypeOf(signature: TypeSignature): string {
  const { rawType, arguments: args } = signature;
  const [first, second] = args;
  switch (rawType) {
    case "decimal":
      return `DECIMAL(${numberOf(first)},${numberOf(second)})`;
    case "array":
      return `${storedTypeOf(typeOf(first))}[]`;
    case "map":
      return `MAP(${keyTypeOf(typeOf(first))}, ${storedTypeOf(typeOf(second))})`;
    case "row":
      return rowType(args);
    default:
      return (
        (first !== undefined && numberOf(first) > maxPrecision ? undefined : forms.get(rawType)?.stored) ?? text.stored
      );
  }
}

/** Returns the type of a map's keys. Trino writes nested keys as text that is not JSON. */
function keyTypeOf(signature: TypeSignature): string {
  return ["array", "map", "row", "json"].includes(signature.rawType) ? text.stored : storedTypeOf(signature);
}

/** Names that differ only in case are equal in DuckDB, so a row with such names has them numbered. */
function rowType(args: readonly TypeArgument[]): string {
  const taken = new Set<string>();
  const members = args.map((argument, index) => {
    const { fieldName, typeSignature } = fieldOf(argument);
    let name = fieldName?.name ?? `field${index}`;
    while (taken.has(name.toLowerCase())) name = `${name}_${index}`;
    taken.add(name.toLowerCase());
    return `"${name.replaceAll('"', '""')}" ${storedTypeOf(typeSignature)}`;
  });
  return `STRUCT(${members.join(", ")})`;
}

function fieldOf(argument: TypeArgument): NamedType {
  if (argument.kind === "NAMED_TYPE") return argument.value;
  return { typeSignature: typeOf(argument) };
}

function typeOf(argument: TypeArgument | undefined): TypeSignature {
  if (argument?.kind === "TYPE") return argument.value;
  if (argument?.kind === "NAMED_TYPE") return argument.value.typeSignature;
  return { rawType: "unknown", arguments: [] };
}

function numberOf(argument: TypeArgument | undefined): number {
  return argument?.kind === "LONG" ? argument.value : 0;
}

/** Returns the kind of a type that Trino describes by its text only, such as `timestamp(6) with time zone`. */
export function kindOf(typeText: string): ColumnKind {
  const [, base = "", precision, rest = ""] = /^([a-z ]+?)(?:\((\d*).*\))?( with time zone)?$/s.exec(typeText) ?? [];
  switch (base) {
    case "decimal":
      return "number";
    case "array":
      return "array";
    case "map":
    case "row":
      return "object";
    default:
      return (Number(precision ?? 0) > maxPrecision ? undefined : forms.get(`${base}${rest}`)?.kind) ?? text.kind;
  }
}
