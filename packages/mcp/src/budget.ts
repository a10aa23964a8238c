/** Largest number of characters of the text of a reply. */
export const budgetCharacters = 40_000;

/** Cuts a text, and notes how long it was. Cuts no pair of surrogates. */
export function cutText(text: string, characters: number): string {
  const end = /[\ud800-\udbff]/.test(text.charAt(characters - 1)) ? characters - 1 : characters;
  return `${text.slice(0, end)}… [cut; ${text.length} characters in all]`;
}
