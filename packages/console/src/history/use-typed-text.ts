import { useEffect, useState } from "react";

/** Time without a key after which a text counts as typed, in milliseconds. */
const PAUSE_MS = 300;

/** Returns a text once its user has stopped typing, because the service searches many statements for it. */
export function useTypedText(text: string): string {
  const [typed, setTyped] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setTyped(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return typed;
}
