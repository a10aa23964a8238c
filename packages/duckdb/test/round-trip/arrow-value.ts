import { DataType, type Vector } from "apache-arrow";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Returns a value of Arrow as the engine's package has it: counts since 1970 as numbers, texts, arrays and objects. */
export function arrowValue(vector: Vector, row: number): unknown {
  const { type } = vector;
  if (!vector.isValid(row)) return null;
  const [data] = vector.data;
  if (DataType.isDictionary(type)) return arrowValue(data?.dictionary as Vector, Number(data?.values[row]));
  // The library takes a byte order mark off the start of a text, and rounds times to milliseconds.
  if (DataType.isUtf8(type)) {
    const [from, to] = data?.valueOffsets.subarray(row, row + 2) ?? [];
    return decoder.decode(data?.values.subarray(from, to));
  }
  if (DataType.isDate(type) || DataType.isTime(type) || DataType.isTimestamp(type)) return data?.values[row];
  if (DataType.isDecimal(type)) return decimalText(vector.get(row), type.scale);
  if (DataType.isList(type) || DataType.isFixedSizeList(type)) {
    const items: Vector = vector.get(row);
    return Array.from({ length: items.length }, (_, at) => arrowValue(items, at));
  }
  if (DataType.isStruct(type)) return type.children.map((_, at) => arrowValue(vector.getChildAt(at) as Vector, row));
  if (DataType.isMap(type)) {
    const [from = 0, to = 0] = data?.valueOffsets.subarray(row, row + 2) ?? [];
    const entries = vector.getChildAt(0) as Vector;
    const [keys, values] = [entries.getChildAt(0) as Vector, entries.getChildAt(1) as Vector];
    return {
      entries: Array.from({ length: to - from }, (_, at) => ({
        key: arrowValue(keys, from + at),
        value: arrowValue(values, from + at),
      })),
    };
  }
  return vector.get(row);
}

function decimalText(words: Uint32Array, scale: number): string {
  const unscaled = words.reduceRight((sum, word) => (sum << 32n) + BigInt(word), 0n);
  const value = BigInt.asIntN(128, unscaled);
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, "0");
  const sign = value < 0n ? "-" : "";
  return scale === 0 ? sign + digits : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}
