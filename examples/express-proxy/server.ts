import { createServer } from "node:http";
import express from "express";
import { callService } from "./lib/service.ts";
import { cookie, signIn, userOf } from "./lib/session.ts";

const app = express();

app.post("/login", express.urlencoded(), async (request, response) => {
  const { name, ...options } = cookie;
  // Check the password here.
  response.cookie(name, await signIn(request.body.user), options).redirect(303, "/");
});

app.post("/json-rpc", express.text({ type: "application/json", limit: "1mb" }), async (request, response) => {
  const session = request.headers.cookie?.match(/(?:^|; )session=([^;]+)/)?.[1];
  if (!(await userOf(session))) return response.status(401).json({ error: "No session: sign in." });
  const disconnected = new AbortController();
  response.on("close", () => disconnected.abort());
  try {
    const answer = await callService(request.body, disconnected.signal);
    const retryAfter = answer.headers.get("retry-after");
    if (retryAfter) response.set("retry-after", retryAfter);
    return response
      .status(answer.status)
      .type("json")
      .send(await answer.text());
  } catch {
    // The service is unreachable: the client retries what is safe to repeat.
    return response.status(502).end();
  }
});

app.use(express.static("public"));

const server = createServer(app).listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1", () => {
  console.log(JSON.stringify(server.address()));
});
