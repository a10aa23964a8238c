import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { execute } from "../../../postgres/test/store/fixture.ts";
import { createTestClient } from "../../../server/test/fixture.ts";
import { hasVersitygw } from "../versitygw.ts";
import { createPlaces, onlyFiles, type Places } from "./places.ts";

const key = "qk_first";
const env = { ...onlyFiles, QUERN_API_KEY: key };

/** Lets the database ask a new user for a password. Returns the address with the user. */
async function requirePassword({ postgres: { url } }: Places): Promise<string> {
  await execute(url, "CREATE USER locked PASSWORD 'right'");
  const [{ hba_file: file } = {}] = await execute(url, "SHOW hba_file");
  const lines = "'host all locked 127.0.0.1/32 scram-sha-256' UNION ALL SELECT 'host all all 127.0.0.1/32 trust'";
  await execute(url, `COPY (SELECT ${lines}) TO '${file}'`);
  await execute(url, "SELECT pg_reload_conf()");
  return Object.assign(new URL(url), { username: "locked" }).href;
}

if (!hasVersitygw())
  it.skip("refused targets of a move are not tested here: the machine lacks go"); // as its name says
else {
  it("names the flag of a wrong target, and copies nothing before all places are open", async () => {
    await using places = await createPlaces();
    const { run, serve, shared, storage, folder, rows } = places;
    const server = await serve(["--data-dir", "data"], env);
    await createTestClient(server.url, key).run("select 1 as v");
    await server.end("SIGTERM");
    const store = shared.QUERN_STORE ?? "";
    const results = shared.QUERN_RESULTS ?? "";
    const move = (...words: string[]) => run(["migrate-store", "--data-dir", "data", ...words]);
    const refused = async (fault: string | RegExp, ...words: string[]) =>
      expect(await move(...words)).toMatchObject({ status: 2, stderr: expect.stringMatching(fault) });

    await refused(
      "Invalid flag --to-store: the address contains a password; remove it, and set it in the file of the flag --to-store-password-file",
      "--to-store",
      "postgres://quern:secret@127.0.0.1/quern",
      "--to-results",
      results,
    );
    const locked = await requirePassword(places);
    const asks = "asks for a password; set the password in the file of the flag --to-store-password-file";
    const moveLocked = () => move("--to-store", locked, "--to-results", results);
    await expect.poll(moveLocked, { timeout: 60_000 }).toMatchObject({ stderr: expect.stringContaining(asks) });
    const file = ["--to-store-password-file", "password"];
    await refused(
      "Cannot read the password of the store: password \\(ENOENT\\); check the flag --to-store-password-file",
      "--to-store",
      locked,
      "--to-results",
      results,
      ...file,
    );
    await writeFile(join(folder, "password"), "wrong");
    await refused(
      "refuses the password; check the user and the password in the file of the flag --to-store-password-file",
      "--to-store",
      locked,
      "--to-results",
      results,
      ...file,
    );

    for (const [address, fault] of [
      [`s3://missing?endpoint=${storage.endpoint}`, "Unknown bucket: missing"],
      ["s3://UP", "the bucket needs 3 to 63"],
      ["https://service", "Invalid flag --to-results: unknown scheme https://"],
    ] as const)
      await refused(fault, "--to-store", store, "--to-results", address);
    expect(await rows("SELECT * FROM quern.runs")).toEqual([]);
    expect(await rows("SELECT * FROM quern.settings WHERE name = 'migration'")).toEqual([]);
    expect(await move("--to-store", store, "--to-results", results)).toMatchObject({ status: 0 });
  });

  it("lets a service use the bucket to which its results have moved, and no longer the one before", async () => {
    await using places = await createPlaces();
    const { run, serve, shared, storage } = places;
    const before = { QUERN_RESULTS: shared.QUERN_RESULTS ?? "" };
    const after = { QUERN_RESULTS: await storage.createBucket("larger") };
    const data = ["--data-dir", "data"];
    const server = await serve(data, { ...env, ...before });
    const { id } = await createTestClient(server.url, key).run("select 'moved' as v");
    await server.end("SIGTERM");
    const move = ["migrate-store", ...data, "--to-results", after.QUERN_RESULTS];
    expect((await run(move)).stderr).toContain("missing setting results: the source has its results in s3://service?");
    expect(await run(move, before)).toMatchObject({ status: 0, stdout: "results 1 moved, 1 checked\n" });
    expect(await run(move, before)).toMatchObject({ status: 0, stdout: "results 1 moved, 1 checked\n" });
    await expect(serve(data, before)).rejects.toThrow("those of this service are in s3://larger");
    await expect(serve(data)).rejects.toThrow("Missing setting results: this service has its results in s3://larger?");
    const moved = await serve(data, { ...env, ...after });
    expect((await createTestClient(moved.url, key).results({ queryRunId: id })).rows).toEqual([["moved"]]);
    await moved.end("SIGTERM");

    const back = ["migrate-store", "--to-data-dir", "data", ...data];
    expect(await run(back, after)).toMatchObject({ status: 0 });
    await expect(serve(data, after)).rejects.toThrow("has the results of another service");
    const home = await serve(data, env);
    expect((await createTestClient(home.url, key).results({ queryRunId: id })).rows).toEqual([["moved"]]);
    await home.end("SIGTERM");
  });
}
