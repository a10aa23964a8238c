// Reads a page from the server, and renders its client components.
import { createElement, use } from "react";
import { renderToPipeableStream } from "react-dom/server";
import { createFromNodeStream } from "react-server-dom-webpack/client";

const id = `${new URL("page.mjs", import.meta.url)}#Page`;
const { Page } = await import("./page.mjs");
globalThis.__webpack_chunk_load__ = () => {};
globalThis.__webpack_require__ = () => ({ Page });

const moduleMap = { [id]: { Page: { id, chunks: [], name: "Page" } } };
const page = createFromNodeStream(process.stdin, { moduleMap, moduleLoading: null, serverModuleMap: null });
const { pipe } = renderToPipeableStream(
  createElement(() => use(page)),
  {
    onAllReady: () => pipe(process.stdout),
    onError: (error) => {
      console.error(error);
      process.exitCode = 1;
    },
  },
);
