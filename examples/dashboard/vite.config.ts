import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const { QUERN_URL = "http://127.0.0.1:8080", QUERN_API_KEY = "" } = process.env;

/** The page calls its own origin, and this proxy adds the key, so that the browser never has it. */
const proxy = { "/json-rpc": { target: QUERN_URL, headers: { "x-api-key": QUERN_API_KEY } } };

export default defineConfig({
  plugins: [react()],
  server: { proxy },
  preview: { proxy },
  build: { chunkSizeWarningLimit: 1000 },
});
