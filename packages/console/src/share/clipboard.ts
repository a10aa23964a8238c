/**
 * Puts a text into the clipboard.
 * @throws {Error} if the browser does not allow it
 */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  // A page that is loaded by plain HTTP from another machine has no clipboard interface.
  const area = document.createElement("textarea");
  area.value = text;
  area.setAttribute("aria-hidden", "true");
  document.body.append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  if (!copied) throw new Error("The browser does not allow this page to copy.");
}
