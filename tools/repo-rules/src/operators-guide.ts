import { type Snippet, snippets } from "./snippets.ts";

const operatorsGuide = "docs/guides/run-the-service.md";

/** Restoring needs a stopped service, which `operators-guide.test.ts` has. */
export const isRestore = ({ file, code }: Snippet): boolean =>
  file === operatorsGuide && code.includes("cp backup/quern.db");

/** Returns the commands of the guide that copy the folder of a service, in their order. */
export function backupSnippets(): readonly Snippet[] {
  return snippets(operatorsGuide).filter((snippet) => snippet.code.includes("backup") && !isRestore(snippet));
}

export function restoreSnippet(): Snippet {
  const [only, ...others] = snippets(operatorsGuide).filter(isRestore);
  if (only === undefined || others.length > 0) throw new Error(`${operatorsGuide} has no one snippet that restores`);
  return only;
}
