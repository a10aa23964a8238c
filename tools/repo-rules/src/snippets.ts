import { readdirSync } from "node:fs";
import { join } from "node:path";
import { publishedNames, read, root } from "./tree.ts";

export interface Snippet {
  readonly file: string;
  /** Line of the opening fence, from 1. */
  readonly line: number;
  readonly language: string;
  readonly code: string;
  /** Expected output of the snippet: the `text` fence that follows it, if any. */
  readonly output: string | undefined;
}

/**
 * Returns the documents with snippets. The reference is missing: it is generated, and its examples are cases of the
 * corpus.
 */
export function documents(): string[] {
  const guides = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md") && !name.startsWith("reference"))
    .map((name) => `docs/${name.replaceAll("\\", "/")}`);
  const packages = publishedNames().map((name) => `packages/${name}/README.md`);
  const examples = readdirSync(join(root, "examples"), { withFileTypes: true }).map((entry) =>
    entry.isDirectory() ? `examples/${entry.name}/README.md` : `examples/${entry.name}`,
  );
  const community = [".github/SECURITY.md", ".github/CODE_OF_CONDUCT.md"];
  return ["README.md", "CONTRIBUTING.md", ...community, "spec/README.md", ...guides.sort(), ...packages, ...examples];
}

export function snippets(file: string): Snippet[] {
  return snippetsOf(read(file), file);
}

/** Returns the snippets of a text in Markdown. */
export function snippetsOf(text: string, file = "README.md"): Snippet[] {
  const fences = [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    file,
    line: text.slice(0, match.index).split("\n").length,
    language: match[1] ?? "",
    code: match[2] ?? "",
  }));
  return fences
    .map((fence, index) => {
      const next = fences[index + 1];
      return { ...fence, output: next?.language === "text" ? next.code : undefined };
    })
    .filter(({ language }) => language !== "text" && language !== "");
}
