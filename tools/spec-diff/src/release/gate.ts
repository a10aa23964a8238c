import getReleasePlan from "@changesets/get-release-plan";
import { diffDocuments, levelOfChanges } from "../diff.ts";
import type { Change } from "../report.ts";
import { linesOf } from "../text.ts";
import { packageVersion, readReleased, readSpec, releasedFile, releasedVersions } from "./released.ts";
import { compareVersions, parseVersion, smallestNext, type Version } from "./version.ts";

export interface GateResult {
  readonly passes: boolean;
  readonly lines: readonly string[];
}

/**
 * Compares `spec/openrpc.json` with the document of the last released version, and each released document with the one
 * before. Fails if the versions are too close together for the changes. The next version is that of the changesets.
 */
export async function checkRelease(root: string): Promise<GateResult> {
  const released = releasedVersions(root);
  const last = released.at(-1);
  if (last === undefined) return { passes: true, lines: ["Nothing is released: spec/released has no document."] };

  const current = versionOf(packageVersion(root), "spec/package.json");
  if (compareVersions(current, versionOf(last, releasedFile(last))) !== 0) return otherVersion(current.join("."), last);

  const next = await plannedVersion(root);
  const steps = released.map((version): Step => {
    return { version, document: readReleased(root, version), file: releasedFile(version) };
  });
  const spec: Step = { version: next, document: readSpec(root), file: "spec/openrpc.json" };
  const results = steps.map((step, index) => checkStep(step, steps[index + 1] ?? spec));
  const failed = results.filter(({ passes }) => !passes);
  return {
    passes: failed.length === 0,
    lines: (failed.length > 0 ? failed : results.slice(-1)).flatMap(({ lines }) => lines),
  };
}

/** Returns the version that the changesets give to `@quern/spec`: the present one without a changeset. */
async function plannedVersion(root: string): Promise<string> {
  const { releases } = await getReleasePlan(root);
  return releases.find(({ name }) => name === "@quern/spec")?.newVersion ?? packageVersion(root);
}

function otherVersion(current: string, last: string): GateResult {
  const text = `spec/package.json has the version ${current}, but the last released document is ${releasedFile(last)}.`;
  return { passes: false, lines: [text, "Write the document of the version: npm run spec-diff -- release"] };
}

interface Step {
  readonly version: string;
  readonly document: unknown;
  readonly file: string;
}

function checkStep(old: Step, now: Step): GateResult {
  const changes = diffDocuments(old.document, now.document);
  const level = levelOfChanges(changes);
  if (level === undefined) return { passes: true, lines: [`${now.file} equals ${old.file}.`] };
  const needed = smallestNext(versionOf(old.version, old.file), level);
  const passes = compareVersions(versionOf(now.version, "the changesets"), needed) >= 0;
  const found = `${now.file} has a ${level} change since ${old.version}, which needs version ${needed.join(".")} or later`;
  if (passes) return { passes, lines: [`${found}: the next version is ${now.version}.`] };
  const decisive: readonly Change[] = changes.filter((change) => change.level === level);
  const bump = needed[2] > 0 ? "patch" : needed[1] > 0 ? "minor" : "major";
  return {
    passes,
    lines: [
      `${found}, but the next version is ${now.version}.`,
      ...linesOf(decisive),
      `Add a changeset of at least "${bump}" for @quern/spec: node tools/bootstrap/bootstrap.mjs changeset`,
    ],
  };
}

function versionOf(text: string, place: string): Version {
  const version = parseVersion(text);
  if (version === undefined) throw new Error(`Invalid version in ${place}: ${text}; use 1.2.3`);
  return version;
}
