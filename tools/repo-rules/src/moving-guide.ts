import { type Snippet, snippets } from "./snippets.ts";

export const movingGuide = "docs/guides/move-to-several-servers.md";

/** Returns the commands of the guide that contain a text, with the addresses of a test. */
export function movingSnippet(text: string, store: string, results: string): Snippet {
  const [found, ...others] = snippets(movingGuide).filter(({ code }) => code.includes(text));
  if (found === undefined || others.length > 0) throw new Error(`${movingGuide} must have one snippet with ${text}`);
  const code = found.code.replaceAll("postgres://quern@db.example.com/quern", store);
  // The stand-in of `aws` knows the buckets of the guide.
  return { ...found, code: code.includes("aws ") ? code : code.replaceAll("s3://bucket/prefix", results) };
}
