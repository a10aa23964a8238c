import { ConsolePage } from "./console-page.tsx";
import { SessionProvider } from "./session/session.tsx";

export function App() {
  return (
    <SessionProvider>
      <ConsolePage />
    </SessionProvider>
  );
}
