import { callService } from "./lib/service.ts";
import { cookie, userOf } from "./lib/session.ts";

/** Answers a call of the page: checks the session and forwards the call. A disconnect of the browser aborts it. */
export async function proxy(request: Request): Promise<Response> {
  const cookies = request.headers.get("cookie")?.split("; ") ?? [];
  const session = cookies.find((each) => each.startsWith(`${cookie.name}=`))?.slice(cookie.name.length + 1);
  if (!(await userOf(session))) return Response.json({ error: "No session: sign in." }, { status: 401 });
  try {
    const { status, body, headers } = await callService(await request.text(), request.signal);
    const retryAfter = headers.get("retry-after");
    return new Response(body, {
      status,
      headers: { "content-type": "application/json", ...(retryAfter !== null && { "retry-after": retryAfter }) },
    });
  } catch {
    // The service is unreachable: the client retries what is safe to repeat.
    return new Response(null, { status: 502 });
  }
}

/** Server of Deno (`deno serve`), Bun and workers. */
export default {
  fetch: (request: Request): Response | Promise<Response> =>
    request.method === "POST" && new URL(request.url).pathname === "/json-rpc"
      ? proxy(request)
      : new Response(null, { status: 404 }),
};
