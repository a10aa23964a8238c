import { once } from "node:events";
import { get as getPlain, type IncomingMessage } from "node:http";
import { get as getSecure } from "node:https";
import { type Client, getQueryRunDownload, QuernError } from "@quern/client";
import type { BinaryFormat } from "../output/format.ts";

/** The bytes of a whole result, as the service writes them. Complete, or it throws. */
export async function* download(
  client: Client,
  queryRunId: string,
  format: BinaryFormat,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { url } = await getQueryRunDownload(client, { queryRunId, format }, { signal });
  try {
    const get = url.startsWith("https:") ? getSecure : getPlain;
    // The first argument of the event, which its type does not say.
    const [response] = (await once(get(url, { signal }), "response")) as [IncomingMessage];
    const { statusCode: status = 0 } = response;
    if (status !== 200) {
      response.destroy();
      throw new QuernError("http", `the download was answered with HTTP ${status}`, { queryRunId, status });
    }
    yield* response;
  } catch (error) {
    if (error instanceof QuernError || signal.aborted) throw error;
    throw new QuernError("network", `the download broke off: ${error}`, { queryRunId, cause: error });
  }
}
