// What React's loader for Node lacks.

/** The references of every package import React's renderer, which only the project has. */
export function resolve(specifier, context, next) {
  const isRenderer = specifier === "react-server-dom-webpack/server";
  return next(specifier, isRenderer ? { ...context, parentURL: import.meta.url } : context);
}

/** React's loader takes texts where Node reads bytes, and cannot follow a relative source map. */
export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (loaded.format !== "module") return loaded;
  return { ...loaded, source: new TextDecoder().decode(loaded.source).replace(/^\/\/# sourceMappingURL=.*/m, "") };
}
