import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const { QUERN_URL = "http://127.0.0.1:8080" } = process.env;

/** The page calls the address from which it was loaded; this proxy stands in for the service while you work on the page. */
const proxy = { "/json-rpc": QUERN_URL, "/downloads": QUERN_URL, "/console/session": QUERN_URL };

export default defineConfig({
  // The service may be behind a proxy with a path prefix.
  base: "./",
  plugins: [react()],
  server: { proxy },
  // An inlined asset would be a `data:` address, which the policy of the page allows for images only.
  build: {
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1000,
    license: { fileName: "licenses.md" },
  },
});
