import { cookies } from "next/headers";
import { callService } from "../../lib/service";
import { cookie, userOf } from "../../lib/session";

export async function POST(request: Request): Promise<Response> {
  const session = (await cookies()).get(cookie.name)?.value;
  if (!(await userOf(session))) return Response.json({ error: "No session: sign in." }, { status: 401 });
  const { status, headers, body } = await callService(await request.text(), request.signal);
  const retryAfter = headers.get("retry-after");
  return new Response(body, {
    status,
    headers: { "content-type": "application/json", ...(retryAfter && { "retry-after": retryAfter }) },
  });
}
