import { createClient } from "@quern/client";
import { QuernProvider } from "@quern/react";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { chosenPage } from "./pages.ts";
import "./page.css";

// The proxy in vite.config.ts replaces this value by the real key.
const client = createClient({ url: window.location.origin, apiKey: "set-by-the-proxy" });
const page = chosenPage(import.meta.env.VITE_PANELS);
document.title = page.title;
const container = document.getElementById("page");
if (container === null) throw new Error("Missing element #page: add it to index.html");

createRoot(container).render(
  <StrictMode>
    <QueryClientProvider client={new QueryClient()}>
      <QuernProvider client={client}>
        <App page={page} />
      </QuernProvider>
    </QueryClientProvider>
  </StrictMode>,
);
