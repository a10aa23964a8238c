/** Returns the number of words at the start that name a profile. */
function profileWords([first = ""]: readonly string[]): number {
  if (first === "--profile") return 2;
  return first.startsWith("--profile=") ? 1 : 0;
}

/** Splits off the words at the start that name a profile, unless there is no other word. */
export function splitProfile(
  words: readonly string[],
): readonly [profile: string | undefined, rest: readonly string[]] {
  const count = profileWords(words);
  if (count === 0 || words.length <= count) return [undefined, words];
  return [count === 2 ? words[1] : words[0]?.slice("--profile=".length), words.slice(count)];
}

/** Returns whether there is no word but those that name a profile. */
export function isOnlyProfile(words: readonly string[]): boolean {
  return words.length === profileWords(words);
}

/**
 * Moves `--profile NAME` from before a command to its end, where the flags of commands are read: `quern --profile test tables`
 * is common in other command lines.
 */
export function withProfileLast(words: readonly string[]): readonly string[] {
  const count = profileWords(words);
  const rest = words.slice(count);
  if (count === 0 || rest.length === 0) return words;
  // Words after -- are arguments.
  const end = rest.includes("--") ? rest.indexOf("--") : rest.length;
  return rest.toSpliced(end, 0, ...words.slice(0, count));
}
