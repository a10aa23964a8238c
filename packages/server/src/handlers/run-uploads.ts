import { randomUUID } from "node:crypto";
import type { Source, Submission, SubmissionOutcome } from "@quern/adapter";
import { isFinal } from "@quern/query-run/record";
import { type RunUpload, uploadNameIssues } from "@quern/query-run/upload";
import { declaredError, invalidParams } from "../common/declared-error.ts";
import type { Principal } from "../identity/principal.ts";
import type { NamedUploads } from "../uploads/uploads.ts";
import type { Service } from "./context.ts";

/**
 * Finds the uploads that a call names.
 * @throws {MethodError} InvalidParams for names that a statement cannot tell apart, and for a source that reads no files
 */
export async function findUploads(
  named: Readonly<Record<string, string>> | undefined,
  source: Source,
  principal: Principal,
  { sources, uploads }: Pick<Service, "sources" | "uploads">,
): Promise<NamedUploads | undefined> {
  if (named === undefined) return undefined;
  if (sources.kindOf(source).readsUploads !== true) {
    const received = `the data source ${source.name} of the kind ${source.kind}`;
    throw invalidParams([{ pointer: "/uploads", expected: "a data source of the kind duckdb", received }]);
  }
  const issues = uploadNameIssues(Object.keys(named));
  if (issues.length > 0) throw invalidParams(issues);
  return uploads.find(named, principal);
}

/**
 * Submits a call with uploads. They are bound to the run before it can start, and stay usable if no run is created. A call
 * that an existing run or result answers needs its uploads no more.
 * @param found uploads that the call names
 * @throws {MethodError} UploadNotFound, unless the call repeats an earlier one
 */
export async function submitWithUploads(
  submission: Submission,
  found: NamedUploads,
  service: Pick<Service, "scheduler" | "store" | "uploads">,
): Promise<SubmissionOutcome> {
  if ("missing" in found) return repeated(submission, found.missing, service);
  const { store, uploads } = service;
  const { run } = submission;
  const ids = found.uploads.map(({ id }) => id);
  const [first] = found.uploads;
  if (!(await store.uploads.bind(ids, run.id))) {
    const missing = { name: first?.name ?? "", uploadId: first?.id ?? "" };
    return repeated(submission, missing, service);
  }
  let outcome: SubmissionOutcome;
  try {
    const submitted = store.runs.submit(submission);
    service.scheduler.submitting();
    outcome = await submitted;
  } catch (error) {
    // Without an answer of the store, the run may exist.
    const isUnknown = await store.runs.run(run.id).catch(() => null);
    if (isUnknown === undefined) await store.uploads.unbind(run.id);
    throw error;
  }
  if (outcome.outcome !== "accepted") await store.uploads.unbind(run.id);
  else if (outcome.run.id !== run.id || isFinal(outcome.run.state)) await uploads.remove(ids);
  return outcome;
}

/** Answers a call that repeats an earlier one, which has used the uploads. @throws {MethodError} UploadNotFound */
async function repeated(
  submission: Submission,
  missing: { readonly name: string; readonly uploadId: string },
  { store }: Pick<Service, "store">,
): Promise<SubmissionOutcome> {
  if (submission.idempotency === null) throw declaredError("UploadNotFound", missing);
  const { run, request, caps } = submission;
  const outcome = await store.runs.submit({
    ...submission,
    // Nothing else than the earlier request answers: no run has the key, and none is created.
    run: { ...run, reuseKey: randomUUID(), uploads: undefined },
    request: { ...request, maxAgeMinutes: 0 },
    caps: { ...caps, maxUnfinishedRuns: 0, isDiskFull: false, maxStoredBytes: undefined },
  });
  if (outcome.outcome === "accepted" || outcome.outcome === "idempotencyMismatch") return outcome;
  throw declaredError("UploadNotFound", missing);
}

/** Returns the uploads for the record of a run and its reuse key; undefined without any. */
export function uploadsOfRun(found: NamedUploads | undefined): readonly RunUpload[] | undefined {
  return found !== undefined && "uploads" in found ? found.uploads : undefined;
}
