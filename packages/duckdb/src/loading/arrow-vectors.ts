import { type DuckDBArrayType, type DuckDBType, DuckDBTypeId as Id } from "@duckdb/node-api";
import duckdb from "@duckdb/node-bindings";
import { type Batch, Type, UnionMode } from "@uwdata/flechette";
import { ArrowValueError, bytesAt, fixedLayout, textAt } from "./arrow-values.ts";

/** Rows of a batch; -1 for NULL. */
type Rows = Int32Array;
type Vector = duckdb.Vector;

/** Writes rows of a batch of Arrow to a vector of the engine. @throws {ArrowValueError} */
export function writeVector(vector: Vector, batch: Batch<unknown>, engine: DuckDBType, rows: Rows): void {
  switch (batch.type.typeId) {
    case Type.Dictionary:
      writeVector(vector, dictionaryOf(batch), engine, keysOf(batch, rows));
      break;
    case Type.RunEndEncoded:
      writeVector(vector, childOf(batch, 1), engine, runsOf(childOf(batch, 0), rows));
      break;
    case Type.Union:
      writeUnion(vector, batch, engine, rows);
      break;
    default: {
      const present = presentRows(batch, rows);
      writeValidity(vector, present);
      writePresent(vector, batch, engine, present);
    }
  }
}

function writePresent(vector: Vector, batch: Batch<unknown>, engine: DuckDBType, rows: Rows): void {
  switch (batch.type.typeId) {
    case Type.Struct:
      for (const [index, child] of batch.children.entries())
        writeVector(duckdb.struct_vector_get_child(vector, index), child, memberOf(engine, index), rows);
      break;
    case Type.List:
    case Type.LargeList:
    case Type.ListView:
    case Type.LargeListView:
      writeLists(vector, batch, engine, rows);
      break;
    case Type.Map:
      writeMaps(vector, batch, engine, rows);
      break;
    case Type.FixedSizeList:
      writeArrays(vector, batch, engine as DuckDBArrayType, rows);
      break;
    default:
      writeValues(vector, batch, engine, rows);
  }
}

function writeValues(vector: Vector, batch: Batch<unknown>, engine: DuckDBType, rows: Rows): void {
  const layout = fixedLayout(batch.type, engine);
  if (layout === undefined) {
    writeBytes(vector, batch, engine, rows);
    return;
  }
  const target = layout.create(rows.length);
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index] as number;
    if (row >= 0) layout.set(target as never, index, batch, row);
  }
  copyTo(vector, target);
}

function writeArrays(vector: Vector, batch: Batch<unknown>, engine: DuckDBArrayType, rows: Rows): void {
  const { length: size } = engine;
  const items = new Int32Array(rows.length * size).fill(-1);
  for (const [index, row] of rows.entries())
    if (row >= 0) for (let at = 0; at < size; at += 1) items[index * size + at] = row * size + at;
  writeVector(duckdb.array_vector_get_child(vector), childOf(batch, 0), memberOf(engine, 0), items);
}

const childOf = ({ children }: Batch<unknown>, index: number): Batch<unknown> => children[index] as Batch<unknown>;

function memberOf(engine: DuckDBType, index: number): DuckDBType {
  switch (engine.typeId) {
    case Id.STRUCT:
      return (engine as { entryTypes: readonly DuckDBType[] } & DuckDBType).entryTypes[index] as DuckDBType;
    case Id.UNION:
      return (engine as { memberTypes: readonly DuckDBType[] } & DuckDBType).memberTypes[index] as DuckDBType;
    case Id.MAP: {
      const { keyType, valueType } = engine as { keyType: DuckDBType; valueType: DuckDBType } & DuckDBType;
      return index === 0 ? keyType : valueType;
    }
    default:
      return (engine as { valueType: DuckDBType } & DuckDBType).valueType;
  }
}

function presentRows({ nullCount, validity, type, length }: Batch<unknown>, rows: Rows): Rows {
  if (type.typeId === Type.Null || length === 0) return new Int32Array(rows.length).fill(-1);
  if (nullCount === 0 || validity.length === 0) return rows;
  return rows.map((row) => (row >= 0 && ((validity[row >> 3] as number) >> (row & 7)) & 1 ? row : -1));
}

function writeValidity(vector: Vector, rows: Rows): void {
  if (!rows.includes(-1)) return;
  // The engine's bitmap has words of 64 bits.
  const bits = new Uint8Array(Math.ceil(rows.length / 64) * 8);
  for (const [index, row] of rows.entries())
    if (row >= 0) bits[index >> 3] = (bits[index >> 3] as number) | (1 << (index & 7));
  duckdb.vector_ensure_validity_writable(vector);
  duckdb.copy_data_to_vector_validity(vector, 0, bits.buffer, 0, bits.length);
}

function copyTo(vector: Vector, { buffer, byteOffset, byteLength }: ArrayBufferView<ArrayBuffer>): void {
  duckdb.copy_data_to_vector(vector, 0, buffer, byteOffset, byteLength);
}

function writeBytes(vector: Vector, batch: Batch<unknown>, engine: DuckDBType, rows: Rows): void {
  const read = engine.typeId === Id.VARCHAR ? textAt : bytesAt;
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index] as number;
    if (row >= 0) duckdb.vector_assign_string_element_len(vector, index, read(batch, row));
  }
}

/** Writes the entries of a list or map, and returns the rows of their items. */
function listRows(vector: Vector, { type, offsets, sizes, children }: Batch<unknown>, rows: Rows): Rows {
  const length = children[0]?.length ?? 0;
  const hasSizes = type.typeId === Type.ListView || type.typeId === Type.LargeListView;
  const entries = new BigInt64Array(rows.length * 2);
  const items: number[] = [];
  for (const [index, row] of rows.entries()) {
    entries[index * 2] = BigInt(items.length);
    if (row < 0) continue;
    const start = Number(offsets[row]);
    const end = hasSizes ? start + Number(sizes[row]) : Number(offsets[row + 1]);
    if (start < 0 || end < start || end > length)
      throw new ArrowValueError("an offset outside of the items of its list");
    for (let item = start; item < end; item += 1) items.push(item);
    entries[index * 2 + 1] = BigInt(end - start);
  }
  copyTo(vector, entries);
  duckdb.list_vector_reserve(vector, items.length);
  duckdb.list_vector_set_size(vector, items.length);
  return Int32Array.from(items);
}

function writeLists(vector: Vector, batch: Batch<unknown>, engine: DuckDBType, rows: Rows): void {
  const items = listRows(vector, batch, rows);
  writeVector(duckdb.list_vector_get_child(vector), childOf(batch, 0), memberOf(engine, 0), items);
}

function writeMaps(vector: Vector, batch: Batch<unknown>, engine: DuckDBType, rows: Rows): void {
  const entries = childOf(batch, 0);
  const keys = childOf(entries, 0);
  for (const row of rows) if (row >= 0) checkKeys(keys, Number(batch.offsets[row]), Number(batch.offsets[row + 1]));
  const items = listRows(vector, batch, rows);
  const child = duckdb.list_vector_get_child(vector);
  for (const index of [0, 1])
    writeVector(duckdb.struct_vector_get_child(child, index), childOf(entries, index), memberOf(engine, index), items);
}

/** @throws {ArrowValueError} for a map that the engine cannot hold */
function checkKeys(keys: Batch<unknown>, start: number, end: number): void {
  const seen = new Set<string>();
  for (let row = start; row < end; row += 1) {
    const key = keys.at(row);
    if (key === null) throw new ArrowValueError("a map with a key that is NULL");
    seen.add(typeof key === "object" ? JSON.stringify(key, (_, value) => String(value)) : String(key));
  }
  if (seen.size < end - start) throw new ArrowValueError("a map with equal keys");
}

/** A vector of a union has the index of the member of each value, and a vector for each member. */
function writeUnion(vector: Vector, batch: Batch<unknown>, engine: DuckDBType, rows: Rows): void {
  const { type, children, offsets, typeIds } = batch as Batch<unknown> & { readonly typeIds: Int8Array };
  if (type.typeId !== Type.Union) return;
  writeValidity(vector, rows);
  const tags = rows.map((row) => (row < 0 ? -1 : (type.typeMap[typeIds[row] as number] ?? -1)));
  const tag = duckdb.struct_vector_get_child(vector, 0);
  writeValidity(tag, tags);
  copyTo(tag, Uint8Array.from(tags));
  for (const [member, child] of children.entries()) {
    const own = rows.map((row, index) => {
      if (tags[index] !== member) return -1;
      const at = type.mode === UnionMode.Dense ? Number(offsets[row]) : row;
      // pyarrow writes such offsets for a part of a dense union.
      if (at < 0 || at >= child.length) throw new ArrowValueError("an offset outside of the values of its union");
      return at;
    });
    writeVector(duckdb.struct_vector_get_child(vector, member + 1), child, memberOf(engine, member), own);
  }
}

interface DictionaryBatch extends Batch<unknown> {
  readonly dictionary: { readonly data: readonly Batch<unknown>[] };
}

function dictionaryOf(batch: Batch<unknown>): Batch<unknown> {
  const [first, ...others] = (batch as DictionaryBatch).dictionary.data;
  if (first === undefined || others.length > 0) throw new ArrowValueError("a dictionary in several parts");
  return first;
}

function keysOf(batch: Batch<unknown>, rows: Rows): Rows {
  const { length } = dictionaryOf(batch);
  return presentRows(batch, rows).map((row) => {
    const key = row < 0 ? -1 : Number(batch.values[row]);
    if (key >= length || (key < 0 && row >= 0)) throw new ArrowValueError("an index outside of its dictionary");
    return key;
  });
}

function runsOf({ values, length }: Batch<unknown>, rows: Rows): Rows {
  return rows.map((row) => {
    if (row < 0) return row;
    let [low, high] = [0, length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (Number(values[middle]) > row) high = middle;
      else low = middle + 1;
    }
    return low;
  });
}
