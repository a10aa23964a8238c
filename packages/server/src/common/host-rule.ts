import { isIP } from "node:net";
import { createHostCheck, hostName } from "@quern/json-rpc/host-check";

/** Settings of the names by which clients reach the service. */
export interface HostRuleOptions {
  readonly allowedHosts?: readonly string[] | undefined;
  readonly publicUrl?: string | undefined;
}

/**
 * Names by which browsers may reach the service: loopback names, addresses, the allowed hosts and the host of the public
 * URL. Protects a service on a private address from pages whose name points to it (DNS rebinding).
 */
export interface HostRule {
  isAllowedName(header: string | undefined): boolean;
  /** Returns why a request with this `Host` header is refused; undefined if it is not. */
  refusal(host: string | null | undefined): string | undefined;
}

export function createHostRule({ allowedHosts = [], publicUrl }: HostRuleOptions): HostRule {
  const publicHosts = publicUrl === undefined ? [] : [new URL(publicUrl).hostname];
  const isAllowedName = createHostCheck([...allowedHosts, ...publicHosts]);
  return {
    isAllowedName,
    refusal(host) {
      const header = host ?? "";
      // A page cannot make an address point to another machine.
      if (isIP(hostName(header).replace(/^\[|\]$/g, "")) !== 0 || isAllowedName(header)) return undefined;
      return `Host not allowed: ${hostName(header)}; add it to the setting allowedHosts.`;
    },
  };
}
