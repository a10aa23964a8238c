import { parse } from "yaml";
import { read } from "./tree.ts";

export interface Step {
  readonly uses?: string;
  readonly run?: string;
}

/** Members of a workflow of GitHub Actions that the tests read. */
export interface Workflow {
  readonly jobs: Readonly<
    Record<string, { readonly permissions?: Readonly<Record<string, string>>; readonly steps: readonly Step[] }>
  >;
}

/** Returns the commands of the release that publish the packages in their working directory. */
export function publishScript(): string {
  const { jobs } = parse(read(".github/workflows/release.yml")) as Workflow;
  const script = jobs.publish?.steps.find(({ run }) => run?.includes("npm publish"))?.run;
  if (script === undefined) throw new Error("release.yml: the job publish has no step that runs npm publish");
  return script;
}
