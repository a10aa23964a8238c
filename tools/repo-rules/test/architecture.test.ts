import { expect, it } from "vitest";
import { pictureFile, pictureSvg, pictures } from "../src/architecture.ts";
import { read } from "../src/tree.ts";

it("has up-to-date pictures of the packages, and of the folders of the largest ones", async () => {
  for (const picture of pictures)
    for (const scheme of ["light", "dark"] as const) {
      const file = pictureFile(picture, scheme);
      const isCurrent = read(file) === (await pictureSvg(picture, scheme));
      expect(isCurrent, `${file} is stale; write it with \`npm run architecture\``).toBe(true);
    }
});

it("draws each box once, and omits an import that a longer path implies", async () => {
  for (const picture of pictures) {
    const svg = await pictureSvg(picture, "light");
    const names = [...svg.matchAll(/font-weight="600">([^<]+)</g)].map((match) => match[1]);
    expect(names.sort()).toEqual([...picture.boxes].sort());
    const drawn = svg.match(/<path d="M[^"]*C/g)?.length ?? 0;
    expect(drawn).toBeGreaterThanOrEqual(names.length - 1);
    expect(drawn).toBeLessThan(picture.arrows.length);
  }
});
