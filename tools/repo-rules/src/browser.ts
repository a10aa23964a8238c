// `node --import` of this file defines the globals of a page, so that code built for a browser runs in a process.
import { Window } from "happy-dom";

const window = new Window({ url: "http://localhost/" });
const { document, navigator, HTMLElement, HTMLIFrameElement, MutationObserver, Node } = window;
for (const [name, value] of Object.entries({
  window,
  document,
  navigator,
  HTMLElement,
  HTMLIFrameElement,
  MutationObserver,
  Node,
})) {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}
