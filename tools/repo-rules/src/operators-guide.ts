import { type Snippet, snippets } from "./snippets.ts";

const operatorsGuide = "docs/guides/run-the-service.md";

/** Tells whether a snippet restores a backup. It needs a stopped service, so only `operators-guide.long.test.ts` runs it. */
export const isRestore = ({ file, code }: Snippet): boolean =>
  file === operatorsGuide && code.includes("cp backup/quern.db");

/** Returns the commands of the guide that back up the data directory of a service, in their order. */
export function backupSnippets(): readonly Snippet[] {
  return snippets(operatorsGuide).filter((snippet) => snippet.code.includes("backup") && !isRestore(snippet));
}

export function restoreSnippet(): Snippet {
  const [only, ...others] = snippets(operatorsGuide).filter(isRestore);
  if (only === undefined || others.length > 0)
    throw new Error(`${operatorsGuide} must have exactly one snippet that restores a backup`);
  return only;
}
