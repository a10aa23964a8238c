import { DataType, type Table, type Vector } from "apache-arrow";

/** Returns the text of a value in Arrow: dates and times as counts since the epoch, lists and objects as JSON. */
function arrowText(vector: Vector, row: number): string | null {
  const { type } = vector;
  if (!vector.isValid(row)) return null;
  if (DataType.isDecimal(type)) return decimalText(vector, row, type.scale);
  if (DataType.isDate(type) || DataType.isTime(type) || DataType.isTimestamp(type))
    return String(rawValue(vector, row));
  if (DataType.isBinary(type)) return Buffer.from(vector.get(row)).toString("base64");
  if (DataType.isFloat(type)) return String(vector.get(row));
  if (DataType.isList(type) || DataType.isFixedSizeList(type))
    return `[${itemTexts(vector.get(row)).map(String).join(",")}]`;
  if (DataType.isStruct(type)) {
    const members = type.children.map(({ name }) => `${name}:${arrowText(vector.getChild(name) as Vector, row)}`);
    return `{${members.join(",")}}`;
  }
  if (DataType.isMap(type)) {
    const [from = 0, to = 0] = vector.data[0]?.valueOffsets.subarray(row, row + 2) ?? [];
    const entries = vector.getChildAt(0) as Vector;
    const [keys, values] = [entries.getChildAt(0) as Vector, entries.getChildAt(1) as Vector];
    const texts = Array.from(
      { length: to - from },
      (_, at) => `${arrowText(keys, from + at)}:${arrowText(values, from + at)}`,
    );
    return `{${texts.join(",")}}`;
  }
  return String(vector.get(row));
}

/** Returns the columns of a table as text, row by row. */
export function arrowRows(table: Table): (string | null)[][] {
  return Array.from({ length: table.numRows }, (_, row) =>
    table.schema.fields.map((_field, column) => arrowText(table.getChildAt(column) as Vector, row)),
  );
}

function itemTexts(items: Vector): (string | null)[] {
  return Array.from({ length: items.length }, (_, at) => arrowText(items, at));
}

/** The stored number, because the library's own value is rounded to milliseconds. */
function rawValue({ data }: Vector, row: number): number | bigint {
  return data[0]?.values[row];
}

function decimalText(vector: Vector, row: number, scale: number): string {
  const words: Uint32Array = vector.get(row);
  const unscaled = words.reduceRight((sum, word) => (sum << 32n) + BigInt(word), 0n);
  const value = BigInt.asIntN(128, unscaled);
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, "0");
  const sign = value < 0n ? "-" : "";
  return scale === 0 ? sign + digits : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}
