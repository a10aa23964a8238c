// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are pieces of source
import { type Defect, defect } from "./defects.ts";

const cancel = "server/dist/handlers/cancel-query-run.js";
const create = "server/dist/handlers/create-query-run.js";
const lookup = "server/dist/handlers/lookup.js";
const results = "server/dist/handlers/result-page.js";
const view = "query-run/dist/view.js";
const decision = "query-run/dist/submission.js";
const changes = "server/dist/runs/run-changes.js";
const submissions = "server/dist/sqlite/submissions.js";
const list = "server/dist/handlers/list-query-runs.js";
const store = "server/dist/sqlite/run-store.js";

/** Defects in the sources that only the service has. */
export const serviceDefects: readonly Defect[] = [
  defect(
    results,
    "pages begin a page late",
    "page,\n        format,",
    "page: { number: page.number + 1, size: page.size },\n        format,",
  ),
  defect(results, "results have the format that was not asked for", "format ?? defaults", "size ?? defaults"),
  defect(
    lookup,
    "a run that is not there is one that has not ended",
    'declaredError("QueryRunNotFound", { queryRunId })',
    'declaredError("QueryRunNotFinished", { state: "QUERY_STATE_READY" })',
  ),
  defect(lookup, "a result is kept for ever", "if (archivedAt === null)", "if (true)"),
  defect(
    cancel,
    "a cancel is not honoured",
    'await changes.apply(run.id, { type: "canceled" })',
    "{ accepted: true, run }",
  ),
  defect(
    cancel,
    "a run that has ended can be canceled",
    'state === "QUERY_STATE_SUCCESS" || state === "QUERY_STATE_FAILED"',
    "false",
  ),
  defect(changes, "nothing is waited for", "if (waitSeconds === 0)", "if (true)"),
  defect(
    changes,
    "a run that was waited for goes back",
    "return latest;",
    'return { ...latest, state: "QUERY_STATE_RUNNING" };',
  ),
  defect(create, "an idempotency key is ignored", "key === undefined ? null", "true ? null"),
  defect(
    create,
    "parameters are no part of what is reused",
    "        parameters,\n        userId: source",
    "        parameters: null,\n        userId: source",
  ),
  defect(submissions, "an idempotency key serves other members", "row.body_hash === idempotency.bodyHash", "true"),
  defect(
    decision,
    "a stale result is given again",
    "chooseRun(facts.candidates, maxAgeMinutes, now)",
    "facts.candidates[0]",
  ),
  defect(submissions, "a run under way is not shared", ', records.one("underWay", reuseKey)]', "]"),
  defect(
    submissions,
    "a request for a kept result does not keep it longer",
    'runs.apply(run, { type: "requested", resultTTLHours }, now)',
    "{ accepted: false }",
  ),
  defect(
    submissions,
    "every request says that it began its run",
    "resultTTLHours, now), false, now)",
    "resultTTLHours, now), true, now)",
  ),
  defect(store, "one withdrawal cancels for all", 'records.count("openRequests", runId) > 0', "false"),
  defect(store, "requests of other runs are withdrawn", "WHERE id = ? AND run_id = ?", "WHERE id = ? OR run_id = ?"),
  // The store writes the list in a thread, whose modules are not patched.
  defect(
    list,
    "the oldest run comes first",
    `['{"queryRuns":', json,`,
    `['{"queryRuns":', JSON.stringify(JSON.parse(Buffer.from(json).toString()).reverse()),`,
  ),
  defect(list, "the next page repeats a run", "next.createdAt), next.id]", "next.createdAt), `${next.id}~`]"),
  defect(list, "since is ignored", "since === undefined", "true"),
  defect(view, "descending is ascending", 'direction === "desc"', "false"),
  defect(view, "only the last filter counts", "(filters ?? []).entries()", "(filters ?? []).slice(-1).entries()"),
];
