import { createClient } from "@quern/client";
import { QuernProvider } from "@quern/react";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import "./page.css";

// Whoever serves the page puts the real key in its place: see vite.config.ts.
const client = createClient({ url: window.location.origin, apiKey: "of-the-server" });
const container = document.getElementById("page");
if (container === null) throw new Error("index.html has no element #page");

createRoot(container).render(
  <StrictMode>
    <QueryClientProvider client={new QueryClient()}>
      <QuernProvider client={client}>
        <App />
      </QuernProvider>
    </QueryClientProvider>
  </StrictMode>,
);
