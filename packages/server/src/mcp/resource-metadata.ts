import type { RequestHeaders } from "@quern/json-rpc/handler";
import { baseUrlOf } from "../common/request-context.ts";
import type { JwtOptions } from "../generated/settings.ts";
import { scopes } from "../identity/principal.ts";

export const mcpPath = "/mcp";
/** Path of the metadata of the resource `/mcp` (RFC 9728). */
export const metadataPath = "/.well-known/oauth-protected-resource/mcp";

export interface ResourceOptions {
  readonly jwt?: JwtOptions | undefined;
  readonly publicUrl?: string | undefined;
}

/** Returns the metadata by which a client finds the identity provider; undefined if the service accepts no tokens. */
export function resourceMetadata({ jwt, publicUrl }: ResourceOptions, headers: RequestHeaders): object | undefined {
  if (jwt === undefined) return undefined;
  return {
    resource: baseUrl(publicUrl, headers) + mcpPath,
    authorization_servers: [jwt.issuer],
    scopes_supported: scopes,
    bearer_methods_supported: ["header"],
  };
}

/**
 * Returns the header `WWW-Authenticate` of a refusal.
 * @param missing Scopes that the credential lacks. Undefined if the credential is missing or invalid.
 */
export function challenge(
  { jwt, publicUrl }: ResourceOptions,
  headers: RequestHeaders,
  missing?: readonly string[],
): string {
  const parts = [
    ...(missing === undefined ? [] : ['error="insufficient_scope"', `scope="${missing.join(" ")}"`]),
    ...(jwt === undefined ? [] : [`resource_metadata="${baseUrl(publicUrl, headers)}${metadataPath}"`]),
    ...(jwt !== undefined && missing === undefined ? ['scope="run read cancel"'] : []),
  ];
  return parts.length === 0 ? "Bearer" : `Bearer ${parts.join(", ")}`;
}

function baseUrl(publicUrl: string | undefined, headers: RequestHeaders): string {
  return publicUrl?.replace(/\/+$/, "") ?? (baseUrlOf(headers) || "http://localhost");
}
