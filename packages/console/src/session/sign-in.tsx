import { listTables } from "@quern/client";
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { type Credential, expiredScope, scopeOf } from "./credential-store.ts";
import { clientOf } from "./service-client.ts";
import "./sign-in.css";

interface SignInProps {
  /** Reason why the user has to sign in again. */
  readonly message: string | undefined;
  readonly onSignIn: (credential: Credential, remember: boolean) => void;
}

/** Form for a key or a token. The service checks the credential before the form closes. */
export function SignIn({ message, onSignIn }: SignInProps) {
  const id = useId();
  const [kind, setKind] = useState<Credential["kind"]>("apiKey");
  const [failure, setFailure] = useState(message);
  const [isChecking, setChecking] = useState(false);
  const secret = useRef<HTMLInputElement>(null);
  useEffect(() => secret.current?.focus(), []);

  async function check(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const value = String(fields.get("secret")).trim();
    setChecking(true);
    setFailure(undefined);
    const scope = (fields.has("continue") ? expiredScope() : null) ?? scopeOf(value);
    const credential = { kind, value, scope };
    const refusal = await refusalOf(credential);
    setChecking(false);
    if (refusal === undefined) onSignIn(credential, fields.has("remember"));
    else setFailure(refusal);
  }

  return (
    <main className="sign-in">
      <form onSubmit={(event) => void check(event)}>
        <h1>Quern console</h1>
        <fieldset>
          <legend>Sign in with</legend>
          {(["apiKey", "token"] as const).map((each) => (
            <label key={each}>
              <input type="radio" name="kind" checked={kind === each} onChange={() => setKind(each)} />
              {each === "apiKey" ? "API key" : "Bearer token"}
            </label>
          ))}
        </fieldset>
        <label htmlFor={`${id}-secret`}>{kind === "apiKey" ? "API key" : "Token"}</label>
        <input
          ref={secret}
          id={`${id}-secret`}
          name="secret"
          type="password"
          autoComplete="off"
          spellCheck={false}
          required
        />
        <label>
          <input type="checkbox" name="remember" /> Keep me signed in on this browser
        </label>
        {expiredScope() !== null && (
          <label>
            <input type="checkbox" name="continue" defaultChecked /> Continue with the tabs that were open
          </label>
        )}
        <button type="submit" className="primary" disabled={isChecking}>
          Sign in
        </button>
        {failure !== undefined && <p role="alert">{failure}</p>}
        <p className="quiet">
          <code>quern keys issue</code> makes a key. The page keeps it until you close this tab or sign out; with “Keep
          me signed in”, until you sign out.
        </p>
      </form>
    </main>
  );
}

/** Returns why the service does not accept a credential; undefined if it does, even if it does not allow this method. */
async function refusalOf(credential: Credential): Promise<string | undefined> {
  try {
    await listTables(clientOf(credential), { limit: 1 });
    return undefined;
  } catch (error) {
    const { status, kind, message } = Object(error);
    if (status === 401) return `The service does not accept this ${credential.kind === "apiKey" ? "key" : "token"}.`;
    if (kind === "rpc" || kind === "undeclared") return undefined;
    return `Cannot sign in: ${message}`;
  }
}
