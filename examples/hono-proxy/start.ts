import { serve } from "@hono/node-server";
import { app } from "./hono.ts";

serve({ fetch: app.fetch, hostname: "127.0.0.1", port: Number(process.env["PORT"] ?? 3000) }, (address) => {
  console.log(JSON.stringify(address));
});
