import { expect, it } from "vitest";
import { createSharedFolder } from "./shared-service.ts";

const key = { QUERN_API_KEY: "qk_first" };

it("serves and administers a store and results that two servers share, as the settings name them", async () => {
  await using folder = await createSharedFolder();
  const { env, run } = folder;
  const one = await folder.serve(["--data-dir", "one"], { ...env, ...key });
  const other = await folder.serve(["--data-dir", "other"], { ...env, ...key });
  const on = ({ url }: { url: string }, apiKey = "qk_first") => ({ QUERN_URL: url, QUERN_API_KEY: apiKey });

  const query = ["query", "select 42 as n", "--format", "csv", "--max-age-minutes", "60"];
  for (const server of [one, other])
    expect(await run(query, on(server))).toMatchObject({ status: 0, stdout: "n\n42\n" });
  const listed = await run(["list-query-runs", "--format", "jsonl"], on(other));
  expect(listed.stdout.trim().split("\n")).toHaveLength(1);

  const issued = await run(["keys", "issue", "--user", "ann", "--tenant", "acme"], env);
  const made = issued.stdout.trim();
  for (const server of [one, other])
    expect(await run(["list-query-runs"], on(server, made))).toMatchObject({ status: 0 });
  expect((await run(["keys", "list", "--format", "csv"], env)).stdout).toContain("acme,ann,active");
  expect(await run(["tenants", "set", "acme", "--max-running-runs", "2"], env)).toMatchObject({ status: 0 });
  expect((await run(["tenants", "list", "--format", "csv"], env)).stdout).toMatch(/^acme,.*,2,/m);
  expect((await run(["usage", "--format", "csv"], env)).stdout).toContain("tenant_first,user_first");
  expect((await run(["erase", "--tenant", "tenant_first", "--user", "user_first"], env)).stdout).toMatch(
    /^erased runs: 1$/m,
  );

  const rows = (await run(["doctor", "--data-dir", "one", "--format", "csv"], env)).stdout;
  expect(rows).toContain("store,true,The store can be reached.");
  expect(rows).toContain("results,true,The results can be reached.");
  const wrong = { ...env, QUERN_STORE_PASSWORD: "wrong" };
  expect((await run(["doctor", "--data-dir", "one", "--format", "csv"], wrong)).stdout).toContain(
    "store,false,The store cannot be used: The password of postgres://quern@db.example.com/quern is wrong.",
  );
  for (const words of [["serve"], ["keys", "list"]])
    expect(await run(words, wrong)).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^\S.*The password of postgres:\/\/quern@db\.example\.com\/quern is wrong\.\n/),
    });
  expect(await folder.loaded()).toEqual(["loaded-postgres", "loaded-s3"]);
}, 120_000); // starts about twenty processes

it("loads no package of a shared store for a service that does not name one", async () => {
  await using folder = await createSharedFolder();
  const { url } = await folder.serve(["--data-dir", "data"], key);
  const env = { QUERN_URL: url, ...key };
  expect(await folder.run(["query", "select 1 as n", "--format", "csv"], env)).toMatchObject({ stdout: "n\n1\n" });
  expect(await folder.run(["keys", "list", "--data-dir", "data"])).toMatchObject({ status: 0 });
  expect(await folder.loaded()).toEqual([]);
}, 60_000); // starts four processes

it("refuses an address with a password in one line, which does not have it", async () => {
  await using folder = await createSharedFolder();
  for (const words of [["serve"], ["keys", "list"], ["configuration"], ["doctor"]]) {
    const { status, stdout, stderr } = await folder.run(words, { QUERN_STORE: "postgres://quern:hidden@db/quern" });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain("Invalid setting store: the address contains a password; remove it, and set it in");
    expect(stderr).not.toContain("hidden");
  }
}, 60_000); // starts four processes
