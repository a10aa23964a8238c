import type { IncomingMessage } from "node:http";
import type { Handler } from "@quern/json-rpc/handler";
import { isLoopbackName } from "@quern/json-rpc/host-check";
import { createRequestListener, type RequestListener, type RequestListenerOptions } from "@quern/json-rpc/node";
import { findPageFolder, openPage } from "@quern/json-rpc/page";
import { createHostRule } from "../common/host-rule.ts";
import type { Log } from "../common/log.ts";
import type { ServerOptions } from "../configuration/options.ts";
import { settingTable } from "../generated/settings.ts";
import type { Service } from "../handlers/context.ts";
import type { FailedCredentials } from "../identity/failed-credentials.ts";
import { createSessionHandler, sessionPath } from "./session-handler.ts";
import { createSignInCodes } from "./sign-in-codes.ts";

const consolePath = "/console/";

/** Parts of the server that the routes of the console need. */
interface ConsoleRoutesOptions extends RequestListenerOptions {
  readonly limits: Handler["limits"];
  readonly failed: FailedCredentials;
  readonly fallback: RequestListener;
}

/** Web page of the service. */
export interface Console {
  /** Creates a request listener of the page and of the exchange of sign-in codes. */
  routes(options: ConsoleRoutesOptions): RequestListener;
  /**
   * Returns a link with a new sign-in code.
   * @throws if the service does not listen on loopback, where only users of this machine can use the link
   */
  signInLink(listening: { readonly url: string; readonly host: string } | undefined): string;
}

/**
 * Opens the package `@quern/console`. Returns undefined if the setting `console` turns it off, or the package is not
 * installed.
 */
export async function openConsole(
  service: Service,
  options: Pick<ServerOptions, "allowedHosts" | "console" | "publicUrl">,
  log: Log,
): Promise<Console | undefined> {
  const { console: isOn = settingTable.console.default } = options;
  const directory = isOn ? findPageFolder("@quern/console", import.meta.dirname) : undefined;
  if (directory === undefined) return undefined;
  const { store, telemetry, clock } = service;
  const hosts = createHostRule(options);
  const codes = createSignInCodes(clock);
  const refusal = ({ headers }: IncomingMessage) => hosts.refusal(headers.host);
  const page = await openPage({ directory, path: consolePath, refusal }).catch((error: unknown) =>
    log.error("the console cannot be served", error),
  );
  if (page === undefined) return undefined;

  return {
    routes({ failed, limits, fallback, ...listening }) {
      const handler = createSessionHandler({ codes, store, telemetry, hosts, failed, limits, log });
      return createRequestListener(handler, {
        ...listening,
        isEndpoint: (path) => path === sessionPath,
        // No other page may read a key.
        allowedOrigins: [],
        fallback: (request, response) => page(request, response) || fallback(request, response),
      });
    },
    signInLink(listening) {
      if (listening === undefined || !isLoopbackName(listening.host))
        throw new Error(
          `No sign-in link: the service listens on ${listening?.host ?? "no address"}; use a loopback address such as 127.0.0.1, or sign in with an API key.`,
        );
      const link = `${listening.url}${consolePath}#code=${codes.mint()}`;
      telemetry.audited({ principal: undefined, headers: { address: "local", get: () => null } }, "console.link", {});
      return link;
    },
  };
}
