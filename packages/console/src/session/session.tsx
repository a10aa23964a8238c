import { QuernError } from "@quern/client";
import { QuernProvider } from "@quern/react";
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from "react";
import {
  type Credential,
  forgetCredential,
  onCredentialChange,
  storeCredential,
  storedCredential,
} from "./credential-store.ts";
import { clientOf } from "./service-client.ts";
import { SignIn } from "./sign-in.tsx";
import { exchangeCode, takeSignInCode } from "./sign-in-code.ts";

interface Session {
  /** Tells the users of a browser apart. */
  readonly scope: string;
  signOut(): void;
}

const SessionContext = createContext<Session | undefined>(undefined);

/** @throws {Error} outside of `SessionProvider` */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error("useSession: no SessionProvider above; add one");
  return session;
}

/** Read once: a second render must not find the fragment gone. */
const code = takeSignInCode();

/** Shows the form to sign in until there is a credential, and then its children with a client. */
export function SessionProvider({ children }: { readonly children: ReactNode }) {
  const [credential, setCredential] = useState(() => (code === undefined ? storedCredential() : undefined));
  const [message, setMessage] = useState<string>();
  const [isExchanging, setExchanging] = useState(code !== undefined);

  const signInBy = useCallback((taken: string) => {
    setExchanging(true);
    const end = (next: Credential | undefined, reason?: string) => {
      setCredential(next);
      setMessage(reason);
      setExchanging(false);
    };
    exchangedCode(taken).then(
      (exchanged) => {
        storeCredential(exchanged, false);
        end(exchanged);
      },
      (error: Error) => end(storedCredential(), error.message),
    );
  }, []);

  useEffect(() => {
    if (code !== undefined) signInBy(code);
    // A link that is pasted into the address of an open page does not load the page again.
    const onHashChange = () => {
      const pasted = takeSignInCode();
      if (pasted !== undefined) signInBy(pasted);
    };
    window.addEventListener("hashchange", onHashChange);
    return () => window.removeEventListener("hashchange", onHashChange);
  }, [signInBy]);

  // A user who signs out in one window has left all that use the same credential.
  useEffect(
    () =>
      onCredentialChange(() => {
        if (storedCredential() === undefined) setCredential(undefined);
      }),
    [],
  );

  const signOut = useCallback((expired?: Credential) => {
    forgetCredential(expired);
    setCredential(undefined);
    setMessage(expired && expiredMessage(expired));
  }, []);

  if (isExchanging) return <main className="sign-in" aria-busy="true" />;
  if (credential === undefined) {
    return (
      <SignIn
        message={message}
        onSignIn={(entered, remember) => {
          storeCredential(entered, remember);
          setMessage(undefined);
          setCredential(entered);
        }}
      />
    );
  }
  return (
    <SignedIn key={credential.value} credential={credential} signOut={signOut}>
      {children}
    </SignedIn>
  );
}

const expiredMessage = ({ kind }: Credential): string =>
  `The service no longer accepts your ${kind === "apiKey" ? "key" : "token"}. Sign in again; your tabs are kept.`;

/** A code is valid once, and development builds run effects twice. */
const exchanges = new Map<string, Promise<Credential>>();

function exchangedCode(taken: string): Promise<Credential> {
  const exchange = exchanges.get(taken) ?? exchangeCode(taken);
  exchanges.set(taken, exchange);
  const forget = () => exchanges.delete(taken);
  exchange.then(forget, forget);
  return exchange;
}

function SignedIn({
  credential,
  signOut,
  children,
}: {
  readonly credential: Credential;
  readonly signOut: (expired?: Credential) => void;
  readonly children: ReactNode;
}) {
  const client = useMemo(() => clientOf(credential), [credential]);
  const queryClient = useMemo(() => createQueryClient(() => signOut(credential)), [credential, signOut]);
  const session = useMemo(() => ({ scope: credential.scope, signOut: () => signOut() }), [credential, signOut]);
  return (
    <QueryClientProvider client={queryClient}>
      <QuernProvider client={client}>
        <SessionContext.Provider value={session}>{children}</SessionContext.Provider>
      </QuernProvider>
    </QueryClientProvider>
  );
}

function createQueryClient(onExpired: () => void): QueryClient {
  const onError = (error: Error) => {
    if (isRefused(error)) onExpired();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    // Results are immutable and runs are polled, so a focus of the window needs no requests.
    defaultOptions: { queries: { refetchOnWindowFocus: false, staleTime: 30_000 } },
  });
}

/** Tells whether the service refused the credential itself, as opposed to one method. */
const isRefused = (error: unknown): boolean => error instanceof QuernError && error.status === 401;
