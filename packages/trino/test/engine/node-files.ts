import { pbkdf2Sync, randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { credentials } from "../../../s3/test/storage.ts";
import { password } from "./test-trino.ts";

const users = ["owner", "service", "reader"];
const rules = fileURLToPath(new URL("rules.json", import.meta.url));

type Properties = Readonly<Record<string, string | number | boolean>>;

interface ClusterOptions {
  /** Path of the key store of the coordinator. */
  readonly keys: string;
  /** Endpoint of the storage, whose bucket `spooled` has the segments. */
  readonly storage: string;
  readonly directSegments: boolean;
  readonly ports: { readonly http: number; readonly https: number; readonly worker: number };
}

/** Writes the files of the coordinator and of the worker to the folders of these names. */
export function writeNodeFiles(folder: string, { keys, storage, directSegments, ports }: ClusterOptions): void {
  const secret = randomBytes(32).toString("base64");
  const common = {
    "discovery.uri": `http://127.0.0.1:${ports.http}`,
    "internal-communication.shared-secret": secret,
    "protocol.spooling.enabled": true,
    "protocol.spooling.shared-secret-key": secret,
    "protocol.spooling.retrieval-mode": directSegments ? "STORAGE" : "COORDINATOR_PROXY",
    "query.max-memory-per-node": "200MB",
    "memory.heap-headroom-per-node": "200MB",
  };
  const spooling = {
    "spooling-manager.name": "filesystem",
    "fs.s3.enabled": true,
    "fs.location": "s3://spooled/",
    "s3.endpoint": storage,
    "s3.region": "us-east-1",
    "s3.aws-access-key": credentials.accessKeyId,
    "s3.aws-secret-key": credentials.secretAccessKey,
    "s3.path-style-access": true,
  };
  const shared = {
    "spooling-manager": spooling,
    log: { "io.trino": "WARN" },
    "catalog/tpch": { "connector.name": "tpch", "tpch.splits-per-node": 100 }, // each one is a step of the progress
    "catalog/tpch_decimal": { "connector.name": "tpch", "tpch.double-type-mapping": "DECIMAL" },
    "catalog/memory": { "connector.name": "memory" },
  };
  const coordinator = {
    ...common,
    coordinator: true,
    "node-scheduler.include-coordinator": false,
    "http-server.http.port": ports.http,
    "http-server.https.enabled": true,
    "http-server.https.port": ports.https,
    "http-server.https.keystore.path": keys,
    "http-server.https.keystore.key": password,
    "http-server.authentication.type": "PASSWORD",
    "http-server.authentication.allow-insecure-over-http": true,
  };
  const passwords = join(folder, "passwords");
  writeFileSync(passwords, users.map((user) => `${user}:${hash()}\n`).join(""));
  writeNode(folder, "coordinator", {
    ...shared,
    config: coordinator,
    "access-control": { "access-control.name": "file", "security.config-file": rules },
    "password-authenticator": { "password-authenticator.name": "file", "file.password-file": passwords },
  });
  const worker = { ...common, coordinator: false, "http-server.http.port": ports.worker };
  writeNode(folder, "worker", { ...shared, config: worker });
}

/** Hashes the password as the file authenticator of Trino reads it. */
function hash(): string {
  const salt = randomBytes(16);
  const hashed = pbkdf2Sync(password, salt, 1000, 32, "sha1");
  return `1000:${salt.toString("hex")}:${hashed.toString("hex")}`;
}

function writeNode(folder: string, name: string, files: Readonly<Record<string, Properties>>): void {
  const etc = join(folder, name, "etc");
  const data = join(folder, name, "data");
  mkdirSync(join(etc, "catalog"), { recursive: true });
  mkdirSync(data);
  const node = {
    "node.environment": "quern",
    "node.id": name,
    "node.data-dir": data,
    "node.bind-ip": "127.0.0.1",
    "node.internal-address": "127.0.0.1",
  };
  for (const [file, properties] of Object.entries({ ...files, node })) {
    const lines = Object.entries(properties).map(([property, value]) => `${property}=${value}\n`);
    writeFileSync(join(etc, `${file}.properties`), lines.join(""));
  }
  const jvm = ["-Xmx1G", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:+ExitOnOutOfMemoryError"];
  const modules = ["-Djdk.attach.allowAttachSelf=true", "--add-modules=jdk.incubator.vector"];
  writeFileSync(join(etc, "jvm.config"), [...jvm, ...modules, ""].join("\n"));
}
