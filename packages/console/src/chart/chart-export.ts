/** Properties that the style sheet of the page sets, as attributes of the file. */
const PROPERTIES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-linecap",
  "stroke-linejoin",
  "font-family",
  "font-size",
  "font-weight",
] as const;

const NAMESPACE = "http://www.w3.org/2000/svg";

/** Returns the text of an SVG file that looks as the element does in the page, with the colours of now. */
export function svgText(picture: SVGSVGElement, description: string): string {
  const copy = picture.cloneNode(true);
  if (!(copy instanceof SVGSVGElement)) throw new TypeError("The chart is not an SVG element.");
  const originals = [picture, ...picture.querySelectorAll("*")];
  const copies = [copy, ...copy.querySelectorAll("*")];
  for (const [index, element] of copies.entries()) {
    const original = originals[index];
    if (original === undefined) continue;
    const style = getComputedStyle(original);
    for (const property of PROPERTIES) element.setAttribute(property, style.getPropertyValue(property));
    element.removeAttribute("class");
  }
  for (const cursor of picture.querySelectorAll(".cursor")) copies[originals.indexOf(cursor)]?.remove();
  const ground = document.createElementNS(NAMESPACE, "rect");
  ground.setAttribute("width", "100%");
  ground.setAttribute("height", "100%");
  ground.setAttribute("fill", getComputedStyle(picture).backgroundColor);
  const title = document.createElementNS(NAMESPACE, "title");
  title.textContent = description;
  copy.prepend(title, ground);
  copy.setAttribute("xmlns", NAMESPACE);
  // XML has no place for these two characters, not even as references.
  return new XMLSerializer().serializeToString(copy).replace(/[\uFFFE\uFFFF]/g, "\uFFFD");
}

/** Draws an SVG file into a PNG file. @param scale Pixels of the file in a pixel of the page */
export async function pngOf(svg: string, width: number, height: number, scale: number): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image(width, height);
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = width * scale;
    canvas.height = height * scale;
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) =>
      canvas.toBlob((blob) => (blob === null ? reject(new Error("The browser cannot write a PNG.")) : resolve(blob))),
    );
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Saves a file by the browser. */
export function saveFile(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
