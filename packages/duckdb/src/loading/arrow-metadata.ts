// Reads the parts of Arrow's metadata, which are tables of FlatBuffers, that no library gives: where the messages of a
// file are. https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format

/** Place of a message in a file. */
interface Block {
  readonly offset: number;
  readonly length: number;
}

/** Returns the type of a message, and the bytes of its body. */
export function headOf(metadata: Buffer): { readonly headerType: number; readonly bodyLength: number } {
  const message = metadata.readUInt32LE(0);
  const [type, body] = [fieldOf(metadata, message, 1), fieldOf(metadata, message, 3)];
  return {
    headerType: type === undefined ? 0 : metadata.readUInt8(type),
    bodyLength: body === undefined ? 0 : Number(metadata.readBigInt64LE(body)),
  };
}

/** Returns the places of the messages of a file, and its schema as a message: some writers have it in the footer only. */
export function filePlan(footer: Buffer): {
  readonly schema: Buffer;
  readonly dictionaries: readonly Block[];
  readonly batches: readonly Block[];
} {
  const root = footer.readUInt32LE(0);
  const schema = fieldOf(footer, root, 1);
  if (schema === undefined) throw new RangeError("A footer without a schema.");
  return {
    schema: schemaMessage(footer, schema + footer.readUInt32LE(schema)),
    dictionaries: blocksOf(footer, fieldOf(footer, root, 2)),
    batches: blocksOf(footer, fieldOf(footer, root, 3)),
  };
}

/** Returns the position of a member of a table, if it has one. */
function fieldOf(bytes: Buffer, table: number, index: number): number | undefined {
  const members = table - bytes.readInt32LE(table);
  const at = 4 + 2 * index;
  const offset = at < bytes.readUInt16LE(members) ? bytes.readUInt16LE(members + at) : 0;
  return offset === 0 ? undefined : table + offset;
}

function blocksOf(footer: Buffer, field: number | undefined): readonly Block[] {
  if (field === undefined) return [];
  const vector = field + footer.readUInt32LE(field);
  return Array.from({ length: footer.readUInt32LE(vector) }, (_, index) => {
    const block = vector + 4 + index * 24;
    const length = footer.readInt32LE(block + 8) + Number(footer.readBigInt64LE(block + 16));
    return { offset: Number(footer.readBigInt64LE(block)), length };
  });
}

/** Returns a message whose header is the schema at a position of the footer, which it contains. */
function schemaMessage(footer: Buffer, schema: number): Buffer {
  const [root, before] = [16, 32];
  const metadata = Buffer.alloc(Math.ceil((before + footer.length) / 8) * 8);
  metadata.writeUInt32LE(root, 0);
  // Positions of three members in the table: the version of the format (5), the type (schema) and the header.
  for (const [index, value] of [10, 12, 4, 6, 8].entries()) metadata.writeUInt16LE(value, 4 + index * 2);
  metadata.writeInt32LE(root - 4, root);
  metadata.writeInt16LE(4, root + 4);
  metadata.writeUInt8(1, root + 6);
  metadata.writeUInt32LE(before + schema - (root + 8), root + 8);
  footer.copy(metadata, before);
  const head = Buffer.alloc(8);
  head.writeInt32LE(-1, 0);
  head.writeInt32LE(metadata.length, 4);
  return Buffer.concat([head, metadata]);
}
