// `node --import` of this file defines the globals of a page, so that code built for a browser runs in a process.
import { Window } from "happy-dom";

const window = new Window({ url: "http://localhost/" });
const names = [
  "Comment",
  "document",
  "navigator",
  "Element",
  "HTMLElement",
  "HTMLIFrameElement",
  "MutationObserver",
  "Node",
  "SVGElement",
  "Text",
] as const;
const globals = { window, ...Object.fromEntries(names.map((name) => [name, window[name]])) };
for (const [name, value] of Object.entries(globals))
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
