// Sends requests to the worker on workerd: two at a time, then later ones, also after a request that was given up.
import { build } from "esbuild";
import { Miniflare } from "miniflare";

const [url, apiKey] = process.argv.slice(2);
const entry = { entryPoints: ["worker.mjs"], bundle: true, write: false, format: "esm" };
const { outputFiles } = await build({ ...entry, conditions: ["workerd", "worker", "browser"] });
const flags = ["enable_request_signal"];
const worker = {
  modules: true,
  script: outputFiles[0].text,
  compatibilityDate: "2025-06-01",
  compatibilityFlags: flags,
};
const miniflare = new Miniflare({ ...worker, bindings: { QUERN_URL: url, QUERN_API_KEY: apiKey } });

/** Runs for longer than the service holds a create, so that the client polls it. */
const slow = (name, numbers = 100_000_000) =>
  `select '${name}' as name from range(${numbers}) as t(n) having sum(sqrt(n) * ln(n + 1)) > 0`;
const endless = slow("c", 1_000_000_000_000);
const signal = AbortSignal.timeout(90_000);
const address = await miniflare.ready;
async function send(name) {
  const response = await fetch(`${address}?sql=${encodeURIComponent(slow(name))}`, { signal });
  return (await response.text()).slice(0, 300);
}

const together = await Promise.all([send("a"), send("b")]);
const givenUp = new AbortController();
const left = fetch(`${address}?sql=${encodeURIComponent(endless)}`, { signal: givenUp.signal }).catch(() => "left");
const beside = send("d");
setTimeout(() => givenUp.abort(), 700);
const later = [await left, await beside, ...(await Promise.all([send("e"), send("f"), send("g")]))];
console.log([...together, ...later].join(" "));
await miniflare.dispose();
