import { readFileSync } from "node:fs";
import starlight from "@astrojs/starlight";
import { defineConfig } from "astro/config";

/** Written by `src/build.ts`. */
const { base, sidebar, publicFolder, outputFolder, cacheFolder } = JSON.parse(
  readFileSync(process.env.QUERN_SITE_SETTINGS, "utf8"),
);

export default defineConfig({
  base,
  publicDir: publicFolder,
  outDir: outputFolder,
  cacheDir: cacheFolder,
  // A script in a file needs no hash in the policy of each page.
  vite: { build: { assetsInlineLimit: 0 } },
  devToolbar: { enabled: false },
  integrations: [
    starlight({
      title: "Quern",
      description: "Self-hosted SQL query service over JSON-RPC 2.0, with a typed client and a mock server for tests",
      favicon: "/favicon.svg",
      sidebar,
      customCss: ["./src/site.css"],
      components: { SocialIcons: "./src/components/version-switch.astro" },
      disable404Route: true,
      credits: false,
    }),
  ],
});
