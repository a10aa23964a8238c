import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import "./console.css";
import "./side-panel.css";

const container = document.getElementById("console");
if (container === null) throw new Error("Missing element #console: add it to index.html");

createRoot(container).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
