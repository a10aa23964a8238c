import { jwtVerify, SignJWT } from "jose";

const secret = () => new TextEncoder().encode(process.env["SESSION_SECRET"]);

/** Scripts cannot read the cookie, and other sites cannot send it. */
export const cookie = { name: "session", httpOnly: true, secure: true, sameSite: "strict", path: "/" } as const;

export function signIn(user: string): Promise<string> {
  return new SignJWT().setProtectedHeader({ alg: "HS256" }).setSubject(user).setExpirationTime("8h").sign(secret());
}

/** Returns the user of a session; undefined if it is missing, forged or expired. */
export async function userOf(token: string | undefined): Promise<string | undefined> {
  try {
    return (await jwtVerify(token ?? "", secret(), { algorithms: ["HS256"] })).payload.sub;
  } catch {
    return undefined;
  }
}
