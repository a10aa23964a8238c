// Replaces modules with "use client" by references, as bundlers for React Server Components do.
import { register } from "node:module";

register("./loader-base.mjs", import.meta.url);
register("react-server-dom-webpack/node-loader", import.meta.url);
