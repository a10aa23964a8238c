import { cookies } from "next/headers";
import { cookie, signIn } from "../../lib/session";

export async function POST(request: Request): Promise<Response> {
  const user = String((await request.formData()).get("user"));
  // Check the password here.
  (await cookies()).set({ ...cookie, value: await signIn(user) });
  // `redirect()` answers 307, after which a browser would send the form again.
  return new Response(null, { status: 303, headers: { location: "/" } });
}
