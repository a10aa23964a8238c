import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pictureFile, pictureSvg, pictures } from "./architecture.ts";
import { root } from "./tree.ts";

// `npm run architecture` writes the pictures of the packages, and of the folders of the largest ones.
for (const picture of pictures)
  for (const scheme of ["light", "dark"] as const) {
    const file = pictureFile(picture, scheme);
    writeFileSync(join(root, file), await pictureSvg(picture, scheme));
    console.log(`wrote ${file}`);
  }
