import { execFileSync } from "node:child_process";
import { cp, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { execute, urlOf } from "../../../postgres/test/store/fixture.ts";
import { hasVersitygw } from "../versitygw.ts";
import { copyBucket, emptyBucket, installationWithDump } from "./backup.ts";
import { createPlaces, onlyFiles } from "./places.ts";
import { expectRestored, startTraffic, trafficKey } from "./traffic.ts";

/** One run at a time, so that runs wait in the queue at the moment of the backup, and execute before the results are copied. */
const env = { ...onlyFiles, QUERN_API_KEY: trafficKey, QUERN_LIMITS_MAX_RUNNING_RUNS: "1", QUERN_LEASE_SECONDS: "3" };

const installation = installationWithDump();
if (!hasVersitygw() || installation === undefined)
  it.skip("no database and bucket are backed up here: the machine lacks pg_dump or go"); // as its name says
else
  it("restores the database and the bucket of a running service to the moment of the dump", async () => {
    await using places = await createPlaces(installation);
    const { folder, postgres, storage, serve, shared } = places;
    const bin = (name: string, ...words: string[]) => execFileSync(join(installation, "bin", name), words);
    const servers = [];
    for (const name of ["server 1", "server 2"]) servers.push(await serve(["--data-dir", name], { ...shared, ...env }));
    const traffic = startTraffic(servers.map(({ url }) => url));
    await traffic.more(60);
    const dump = join(folder, "quern.dump");
    bin("pg_dump", "--format=custom", `--file=${dump}`, postgres.url);
    await traffic.more(60);
    const copied = await storage.createBucket("copy");
    await copyBucket(storage, "service", "copy");
    await traffic.more(20);
    await traffic.stop();
    for (const server of servers) await server.end("SIGKILL");

    await execute(postgres.url, "DROP SCHEMA quern CASCADE");
    await emptyBucket(storage, "service");

    await postgres.run("CREATE DATABASE restored");
    const restored = urlOf(postgres, "restored");
    bin("pg_restore", "--no-owner", `--dbname=${restored}`, dump);
    const rows = await execute(restored, "SELECT id, state FROM quern.runs");
    const states = new Map(rows.map(({ id, state }) => [String(id), String(state)]));
    const server = await serve(["--data-dir", "server 3"], { ...env, QUERN_STORE: restored, QUERN_RESULTS: copied });
    const found = await expectRestored(server.url, traffic.runs, states);
    console.log("database and bucket:", found);
    for (const count of Object.values(found)) expect(count).toBeGreaterThan(0);
    await server.end("SIGTERM");
  });

if (!hasVersitygw())
  it.skip("no data directory is backed up here: the machine lacks go"); // as its name says
else
  it("restores the data directory of a running service to the moment of the copy of its store", async () => {
    await using places = await createPlaces();
    const { folder, serve } = places;
    const [data, backup] = [join(folder, "data"), join(folder, "backup")];
    const server = await serve(["--data-dir", "data"], env);
    const traffic = startTraffic([server.url]);
    await traffic.more(60);
    await mkdir(backup);
    // The commands of the guide `run-the-service.md`.
    const database = new DatabaseSync(join(data, "quern.db"), { readOnly: true });
    database.exec(`VACUUM INTO '${join(backup, "quern.db")}'`);
    database.close();
    await traffic.more(60);
    await cp(join(data, "results"), join(backup, "results"), { recursive: true });
    await traffic.more(20);
    await traffic.stop();
    await server.end("SIGKILL");
    await rm(data, { recursive: true });

    await rename(backup, data);
    const copy = new DatabaseSync(join(data, "quern.db"), { readOnly: true });
    const states = new Map(
      copy
        .prepare("SELECT id, state FROM runs")
        .all()
        .map(({ id, state }) => [String(id), String(state)]),
    );
    copy.close();
    const again = await serve(["--data-dir", "data"], env);
    const found = await expectRestored(again.url, traffic.runs, states);
    console.log("data directory:", found);
    for (const count of Object.values(found)) expect(count).toBeGreaterThan(0);
    await again.end("SIGTERM");
  });
