import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { proxy } from "./proxy.ts";

export const app = new Hono();
app.post("/json-rpc", bodyLimit({ maxSize: 1_000_000 }), ({ req }) => proxy(req.raw));
