/**
 * `node:http` server with one SQLite insert for each call, on disk before the answer: the minimum cost of a durable
 * create.
 */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";

const [path = ""] = process.argv.slice(2);
const database = new DatabaseSync(path);
database.exec(
  "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE calls (id TEXT PRIMARY KEY, call TEXT)",
);
const insert = database.prepare("INSERT INTO calls (id, call) VALUES (?, ?)");

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const call = JSON.parse(Buffer.concat(chunks).toString());
  const id = randomUUID();
  insert.run(id, JSON.stringify(call));
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id: call.id, result: { id } }));
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo; // an address object, because the server listens on a port
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }));
});
