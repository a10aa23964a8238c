/** Section of the navigation, with its documents in the order of the list. */
export interface Section {
  readonly name: string;
  readonly pages: readonly Entry[];
}

/** A document by its path in the repository, or a group of documents, which the list shows closed. */
export type Entry = string | { readonly group: string; readonly pages: readonly string[] };

/** First page of the site. */
export const home = "docs/README.md";

const guides = (...names: readonly string[]): readonly string[] => names.map((name) => `docs/guides/${name}.md`);
const examples = (...names: readonly string[]): readonly string[] => names.map((name) => `examples/${name}/README.md`);
const packages = (...names: readonly string[]): readonly string[] => names.map((name) => `packages/${name}/README.md`);

/** Returns the sections of the site. @param methods the pages of the methods in the reference */
export function navigation(methods: readonly string[]): readonly Section[] {
  return [
    {
      name: "Start",
      pages: [
        home,
        "docs/getting-started.md",
        "tools/site/pages/try-it.md",
        ...guides("console", "command-line"),
        "docs/guides/README.md",
      ],
    },
    {
      name: "Use in an app",
      pages: [
        ...guides(
          "query-from-typescript",
          "types-and-values",
          "dashboard",
          "vue-and-svelte",
          "recipes",
          "dashboard-in-production",
          "agents",
          "old-clients",
        ),
        {
          group: "Examples",
          pages: [
            "examples/README.md",
            ...examples("script", "dashboard", "next-app", "express-proxy", "hono-proxy", "notebook", "agent"),
          ],
        },
      ],
    },
    {
      name: "Test",
      pages: [...guides("test-with-the-mock", "test-runners", "contract-testing"), "examples/mock-clients/README.md"],
    },
    {
      name: "Operate",
      pages: [
        ...guides("run-the-service", "deploy"),
        "examples/deploy/README.md",
        ...guides(
          "load-your-tables",
          "other-engines",
          "keys-and-users",
          "operate",
          "several-servers",
          "move-to-several-servers",
          "capacity",
          "security",
        ),
      ],
    },
    {
      name: "Reference",
      pages: [
        "docs/reference/README.md",
        { group: "Methods", pages: methods },
        ...["types", "errors", "limits", "settings", "mock-admin"].map((name) => `docs/reference/${name}.md`),
        {
          group: "Packages",
          pages: packages(
            "client",
            "react",
            "vue",
            "svelte",
            "cli",
            "console",
            "mcp",
            "mock-server",
            "conformance",
            "server",
            "duckdb",
            "postgres",
            "s3",
            "trino",
            "clickhouse",
            "adapter",
            "query-run",
            "protocol",
            "json-rpc",
          ),
        },
        "docs/guides/glossary.md",
      ],
    },
    {
      name: "Contribute",
      pages: [
        "CONTRIBUTING.md",
        "docs/design.md",
        "docs/guides/write-an-adapter.md",
        "examples/sqlite-source/README.md",
        "spec/README.md",
        "spec/conformance/README.md",
        ".github/SECURITY.md",
        ".github/CODE_OF_CONDUCT.md",
      ],
    },
  ];
}
