import { createClient, createQueryRun } from "@quern/client";
import { createMockServer, type MockServer } from "@quern/mock-server";
import { createEngine } from "./engine.ts";
import type { Sample } from "./sample.ts";

// This script runs before the console in its page: it answers the requests of the console by the mock server, in the page.

/** Addresses that the console calls; the console takes the folder above its page for the service. */
const service = new URL("../", document.baseURI);
const rpc = new URL("json-rpc", service).href;
const session = new URL("console/session", service).href;
const downloads = new URL("/results/", service).href;

const example = `select origin, count(*) as cars, round(avg(miles_per_gallon), 1) as mpg
from cars
group by origin
order by cars desc`;

const original = globalThis.fetch.bind(globalThis);
const click = HTMLAnchorElement.prototype.click;

forgetEarlierVisit();

/** The console does not wait for the mock, whose tables arrive later; its requests do. */
const started = startMock();

globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  if (request.url !== session && request.url !== rpc) return original(request);
  const mock = await started;
  return request.url === session ? signIn(mock) : mock.fetch(`${mock.url}/json-rpc`, await partsOf(request));
};

/** The console downloads a file by a link, which no `fetch` sees. */
HTMLAnchorElement.prototype.click = function (this: HTMLAnchorElement) {
  if (this.href.startsWith(downloads)) void download(this.href);
  else click.call(this);
};

async function startMock(): Promise<MockServer> {
  const samples: readonly Sample[] = await (await original(new URL("./samples.json", import.meta.url))).json();
  // Always the same key, so that a console that kept it needs no link after a reload.
  const mock = createMockServer({ apiKey: "try-it", clock: { ticking: true }, execute: await createEngine(samples) });
  const tables = samples.map(({ name, comment, columns, rows }) => ({
    dataSource: "samples",
    dataProvider: "quern",
    catalog: "",
    schema: "",
    name,
    comment,
    columns: columns.map((column) => ({ ...column, nullable: true })),
    rowEstimate: rows.length,
  }));
  // The mock answers these methods by the examples of the document, which know other tables.
  mock.fault("listTables", { override: { tables }, times: "ever" });
  mock.fault("completeSql", { override: { completions: [] }, times: "ever" });
  return mock;
}

/** The tabs and the address of an earlier visit name runs that its mock has had. */
function forgetEarlierVisit(): void {
  for (const storage of [localStorage, sessionStorage])
    for (const name of Object.keys(storage)) if (name.startsWith("quern.console.")) storage.removeItem(name);
  history.replaceState(null, "", "#code=try-it");
}

/** Signs the console in, which opens the run of an example. */
async function signIn({ url, apiKey, fetch }: MockServer): Promise<Response> {
  const { queryRun } = await createQueryRun(createClient({ url, apiKey, fetch }), { sql: example, waitSeconds: 10 });
  history.replaceState(null, "", `#run=${queryRun.id}`);
  return Response.json({ apiKey });
}

async function partsOf({ method, headers, signal, body }: Request): Promise<RequestInit> {
  return { method, headers, signal, body: body === null ? null : await new Response(body).arrayBuffer() };
}

async function download(address: string): Promise<void> {
  const mock = await started;
  const response = await mock.fetch(`${mock.url}${new URL(address).pathname}`);
  const [, name = "result"] = response.headers.get("content-disposition")?.match(/filename="?([^";]+)/) ?? [];
  const href = URL.createObjectURL(await response.blob());
  click.call(Object.assign(document.createElement("a"), { href, download: name }));
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
