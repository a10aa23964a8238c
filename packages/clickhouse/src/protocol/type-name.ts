/** Name of a type, such as `Map(String, Array(UInt8))`, in its parts. */
export interface TypeName {
  readonly base: string;
  /** Texts of the arguments in the parentheses. */
  readonly arguments: readonly string[];
}

const pieces = /'(?:[^'\\]|\\[\s\S]|'')*'|`(?:[^`\\]|\\[\s\S]|``)*`|"(?:[^"\\]|\\[\s\S]|"")*"|[(),]|[^'`"(),]+|[\s\S]/g;

/** Splits the name of a type at its outermost commas. Commas and parentheses in quotes belong to names and texts. */
export function parseTypeName(text: string): TypeName {
  const args: string[] = [];
  let base = "";
  let current = "";
  let depth = 0;
  for (const [piece] of text.matchAll(pieces)) {
    const isInner = depth > (piece === ")" ? 1 : 0);
    if (piece === "(") depth += 1;
    if (piece === ")") depth -= 1;
    if (depth === 0 && piece !== ")") base += piece;
    else if (depth === 1 && piece === ",") {
      args.push(current.trim());
      current = "";
    } else if (isInner) current += piece;
  }
  return { base: base.trim(), arguments: current.trim() === "" ? args : [...args, current.trim()] };
}

/** Member of a tuple. A member without a name has the name undefined. */
export interface Member {
  readonly name: string | undefined;
  readonly type: string;
}

/** Parses a member of a tuple, such as "`a b` UInt8", or `UInt8`. */
export function parseMember(text: string): Member {
  const [, quoted, plain, type] = /^(?:(`(?:[^`\\]|\\[\s\S]|``)*`)|([A-Za-z_]\w*))\s+(\S.*)$/s.exec(text) ?? [];
  if (type === undefined) return { name: undefined, type: text };
  return { name: quoted === undefined ? plain : unquoted(quoted), type };
}

function unquoted(name: string): string {
  return name.slice(1, -1).replaceAll(/\\([\s\S])|``/g, (_, escaped: string | undefined) => escaped ?? "`");
}
