import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import {
  CreateBucketCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { moto } from "./moto.ts";
import { versitygw } from "./versitygw.ts";

/** Object storage of a test. */
export interface TestStorage extends AsyncDisposable {
  readonly endpoint: string;
  /** Client with the rights of the owner. */
  readonly client: S3Client;
  /** Creates a bucket, and returns the address of the results in it, as the setting `results` has it. */
  createBucket(name: string): Promise<string>;
  /** Writes an object. */
  put(bucket: string, key: string, text: string): Promise<void>;
  /** Lists the keys of all objects of a bucket, and those of incomplete uploads. */
  keys(bucket: string): Promise<readonly string[]>;
  /** Ends the storage as a crash does. Its data stays. */
  stop(): Promise<void>;
  /** Starts the storage again at the same address. */
  start(): Promise<void>;
}

export const credentials = { accessKeyId: "quern-test", secretAccessKey: "secret-of-the-test" };

/** Programs that tests can use as a storage. */
export type StorageProgram = "versitygw" | "moto";

/**
 * Starts a storage, and sets the environment variables with its credentials. versitygw keeps its objects in a temporary
 * directory; moto, a stand-in, forgets them when it is stopped.
 */
export async function startStorage(program: StorageProgram = "versitygw"): Promise<TestStorage> {
  const binary = program === "moto" ? moto() : await versitygw();
  const folder = await mkdtemp(join(tmpdir(), "quern-storage-"));
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const client = new S3Client({ endpoint, region: "us-east-1", forcePathStyle: true, credentials });
  let gateway: ChildProcess | undefined;

  async function start(): Promise<void> {
    if (gateway !== undefined) return;
    const gatewayOptions = ["--port", `127.0.0.1:${port}`, "--quiet", "posix", folder];
    gateway = spawn(binary, program === "moto" ? ["-H", "127.0.0.1", "-p", String(port)] : gatewayOptions, {
      env: { ROOT_ACCESS_KEY: credentials.accessKeyId, ROOT_SECRET_KEY: credentials.secretAccessKey },
      stdio: "ignore",
    });
    for (let attempt = 0; !(await accepts(port)); attempt += 1) {
      if (attempt > 600 || gateway.exitCode !== null) throw new Error(`${program} does not start`);
      await setTimeout(50);
    }
  }

  async function stop(): Promise<void> {
    const ending = gateway;
    gateway = undefined;
    if (ending === undefined || ending.exitCode !== null) return;
    const ended = new Promise((resolve) => ending.once("exit", resolve));
    ending.kill("SIGKILL");
    await ended;
  }

  process.env.AWS_ACCESS_KEY_ID = credentials.accessKeyId;
  process.env.AWS_SECRET_ACCESS_KEY = credentials.secretAccessKey;
  await start();
  return {
    endpoint,
    client,
    start,
    stop,
    async createBucket(name) {
      await client.send(new CreateBucketCommand({ Bucket: name }));
      return `s3://${name}?endpoint=${endpoint}`;
    },
    async put(Bucket, Key, text) {
      await client.send(new PutObjectCommand({ Bucket, Key, Body: Buffer.from(text) }));
    },
    async keys(bucket) {
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
      const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
      return [...Contents, ...Uploads].flatMap(({ Key }) => Key ?? []);
    },
    async [Symbol.asyncDispose]() {
      client.destroy();
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns a port that nothing listens on. */
export async function freePort(): Promise<number> {
  const server: Server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
