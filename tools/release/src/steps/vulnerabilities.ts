import { command } from "../command.ts";
import type { Fault } from "../fault.ts";
import { installedIn } from "../installed.ts";
import type { Step } from "../step.ts";

interface Report {
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string; readonly range: string }>>;
}

/** Asks the machine's registry for known vulnerabilities, and finds versions that their authors advise against. */
export const vulnerabilities: Step = {
  name: "known vulnerabilities",
  async run({ projects }) {
    const faults: Fault[] = [];
    const lines = new Set<string>();
    const deprecated = new Set<string>();
    for (const [name, project] of projects) {
      for (const { name: of, version, deprecated: message } of installedIn(project))
        if (message !== undefined) deprecated.add(`${of}@${version} is deprecated: ${message}`);
      // The bare command has the packages of all others, except adapters and tools for agents.
      if (name !== "quern") continue;
      try {
        const report = await audit(project);
        for (const [of, { severity, range }] of Object.entries(report.vulnerabilities ?? {}))
          faults.push({
            package: name,
            file: "package.json",
            rule: `${of} ${range}: ${severity}`,
            action: `update ${of}`,
          });
      } catch {
        lines.add("not checked: the registry of this machine has no advisories; run `npm audit` with one that has");
      }
    }
    return { faults, lines: [...lines, ...deprecated] };
  },
};

async function audit(project: string): Promise<Report> {
  // npm ends with 1 if it finds vulnerabilities, and prints an error as JSON if it cannot ask.
  const text = await command("npm", ["audit", "--omit=dev", "--json"], { cwd: project }).catch(
    ({ message }) => message,
  );
  const report = JSON.parse(text.slice(text.indexOf("{"))) as Report & { readonly message?: string };
  if (report.message !== undefined || report.vulnerabilities === undefined) throw new Error(report.message);
  return report;
}
