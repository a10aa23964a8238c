/** Guides whose commands need a database, or the package of an example. */
export const enginesGuide = "docs/guides/other-engines.md";
export const sqliteExample = "examples/sqlite-source/README.md";
