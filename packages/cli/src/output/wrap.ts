/** Least width of the text of a flag beside its name; a narrower terminal gets the text below the name. */
const leastText = 24;

/** Wraps help between words to a width in characters. Lines of a text stay below its start, and examples stay commands. */
export function wrapped(help: string, width: number): string {
  let section = "";
  return help
    .split("\n")
    .map((line) => {
      if (/^[A-Z][A-Z ]*$/.test(line)) section = line;
      if (line.length <= width) return line;
      return section === "EXAMPLES" ? wrappedExample(line, width) : wrappedText(line, width);
    })
    .join("\n");
}

function wrappedText(line: string, width: number): string {
  // An entry of a list: its name, with spaces before its text. Two columns of spaces can stand before a flag without a short name.
  const [head = ""] = /^ +(?:-\w +)?\S.*? {2,}(?=\S)/.exec(line) ?? /^ */.exec(line) ?? [];
  const [margin = ""] = /^ */.exec(line) ?? [];
  const text = line
    .slice(head.length)
    .replaceAll(/ +/g, " ")
    .replace(/\S+$/, (word) => (head.length + word.length > width ? word.replaceAll("|", " | ") : word));
  if (head.length + leastText <= width) return joined(head, text, " ".repeat(head.length), width);
  if (head === margin) return joined(margin, text, margin, width);
  const below = `${margin}    `;
  return `${head.trimEnd()}\n${joined(below, text, below, width)}`;
}

/** Joins words to lines. @param head Start of the first line. @param margin Start of the others. */
function joined(head: string, text: string, margin: string, width: number): string {
  const lines: string[] = [];
  let line = head;
  let isEmpty = true;
  for (const word of text.split(" ")) {
    if (!isEmpty && line.length + 1 + word.length > width) {
      lines.push(line.trimEnd());
      line = margin;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line.trimEnd()].join("\n");
}

/** Wraps a command of a shell with a backslash, or within quotes without one; a comment stays a comment. */
function wrappedExample(line: string, width: number): string {
  if (/^ *#/.test(line)) return joined("  # ", line.replace(/^ *# */, ""), "  # ", width);
  const lines = joined("  ", line.trimStart(), "    ", width - 2).split("\n");
  let quote = "";
  return lines
    .map((part, at) => {
      for (const [mark] of part.matchAll(/["']/g)) if (quote === "" || quote === mark) quote = quote === "" ? mark : "";
      return at < lines.length - 1 && quote === "" ? `${part} \\` : part;
    })
    .join("\n");
}
