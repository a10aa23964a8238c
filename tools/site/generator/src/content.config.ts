import { defineCollection } from "astro:content";
import { readFileSync } from "node:fs";
import { docsSchema } from "@astrojs/starlight/schema";
import { glob } from "astro/loaders";

const { pageFolder } = JSON.parse(readFileSync(process.env.QUERN_SITE_SETTINGS ?? "", "utf8"));

export const collections = {
  docs: defineCollection({ loader: glob({ base: pageFolder, pattern: "**/*.md" }), schema: docsSchema() }),
};
