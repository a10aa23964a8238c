import assert from "node:assert/strict";
import type { NewUpload } from "../../store/upload-store.ts";
import type { ContractCase } from "../contract-case.ts";
import { claimAt, type StoreContext, submitAt, t0 } from "./context.ts";
import { submission } from "./submission.ts";

const caps = { maxUploads: 3, maxUploadedBytes: 100 };
const sha256 = "a".repeat(64);

function upload(id: string, change: Partial<NewUpload> = {}): NewUpload {
  return { id, tenantId: "tenant", userId: "user", format: "csv", maxBytes: 10, lifetimeMs: 1_000, ...change };
}

/** Cases about uploads: their caps, their single use, and their end. */
export const uploadCases: readonly ContractCase<StoreContext>[] = [
  {
    name: "counts an upload with its maximum size until its file is complete, and within the stored bytes",
    async run(context) {
      const { uploads, tenants } = context.store;
      await context.setTime(t0);
      assert.deepEqual(await uploads.create(upload("a", { maxBytes: 90 }), caps), { expiresAt: t0 + 1_000 });
      const full = { outcome: "tooManyUploads", uploads: 1, uploadedBytes: 90 };
      assert.deepEqual(await uploads.create(upload("b", { maxBytes: 11 }), caps), full);
      assert.equal(await tenants.storedBytes("tenant"), 90);
      assert.equal(await uploads.complete("a", { bytes: 5, sha256 }), true);
      assert.equal(await tenants.storedBytes("tenant"), 5);
      const quota = { outcome: "storageQuotaExceeded", storedBytes: 5, maxStoredBytes: 15 };
      assert.deepEqual(await uploads.create(upload("b", { maxBytes: 11 }), { ...caps, maxStoredBytes: 15 }), quota);
      assert.ok("expiresAt" in (await uploads.create(upload("b"), { ...caps, maxStoredBytes: 15 })));
      assert.ok("expiresAt" in (await uploads.create(upload("other", { tenantId: "other", maxBytes: 100 }), caps)));
      const racing = await Promise.all(["c", "d", "e", "f"].map((id) => uploads.create(upload(id), caps)));
      assert.equal(racing.filter((outcome) => "expiresAt" in outcome).length, 1);
      for (const id of ["a", "b", "c", "d", "e", "f"]) await uploads.remove(id);
      assert.equal(await tenants.storedBytes("tenant"), 0);
    },
  },
  {
    name: "lets one file complete an upload, until it expires",
    async run(context) {
      const { uploads } = context.store;
      await context.setTime(t0);
      await uploads.create(upload("a"), caps);
      await uploads.create(upload("late"), caps);
      const completed = await Promise.all([5, 6, 7].map((bytes) => uploads.complete("a", { bytes, sha256 })));
      assert.equal(completed.filter(Boolean).length, 1);
      assert.equal(await uploads.complete("unknown", { bytes: 1, sha256 }), false);
      await context.setTime(t0 + 1_000);
      assert.equal(await uploads.complete("late", { bytes: 1, sha256 }), false);
      assert.deepEqual((await uploads.unneeded()).map(({ id }) => id).sort(), ["a", "late"]);
    },
  },
  {
    name: "binds complete uploads to one of several runs, all or none",
    async run(context) {
      const { uploads } = context.store;
      await context.setTime(t0);
      for (const id of ["a", "b", "incomplete"]) await uploads.create(upload(id), caps);
      for (const id of ["a", "b"]) await uploads.complete(id, { bytes: 1, sha256 });
      assert.equal(await uploads.bind(["a", "incomplete"], "run0"), false);
      assert.equal(await uploads.bind(["a", "unknown"], "run0"), false);
      const bound = await Promise.all(["run1", "run2", "run3"].map((run) => uploads.bind(["b", "a", "a"], run)));
      assert.equal(bound.filter(Boolean).length, 1);
      const runId = `run${bound.indexOf(true) + 1}`;
      const file = { bytes: 1, sha256 };
      const record = { id: "a", tenantId: "tenant", userId: "user", format: "csv", file, runId, expiresAt: t0 + 1_000 };
      assert.deepEqual(await uploads.find("a"), record);
      await uploads.unbind(runId);
      assert.deepEqual(await uploads.find("a"), { ...record, runId: null });
      await context.setTime(t0 + 1_000);
      assert.equal(await uploads.bind(["a"], "run4"), false);
    },
  },
  {
    name: "keeps an upload until its run ends, however long that takes, and lists those of a user",
    async run(context) {
      const { uploads, runs } = context.store;
      await context.setTime(t0);
      await uploads.create(upload("a"), caps);
      await uploads.create(upload("b", { userId: "other" }), caps);
      await uploads.complete("a", { bytes: 1, sha256 });
      const { run } = await submitAt(context, submission());
      assert.equal(await uploads.bind(["a"], run.id), true);
      const claimed = await claimAt(context, t0 + 2_000);
      assert.equal(claimed?.run.id, run.id);
      assert.deepEqual(
        (await uploads.unneeded()).map(({ id }) => id),
        ["b"],
      );
      assert.deepEqual(
        (await uploads.ofUser({ tenantId: "tenant", userId: "user" })).map(({ id }) => id),
        ["a"],
      );
      const failure = { name: "Failed", message: "", data: { category: "USER" as const } };
      await runs.apply(run.id, { type: "failed", attempt: claimed?.run.attempt ?? 0, failure });
      assert.deepEqual((await uploads.unneeded()).map(({ id }) => id).sort(), ["a", "b"]);
    },
  },
];
