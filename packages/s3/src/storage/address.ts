/** Address of results in object storage, as the setting `results` has it. */
export interface Address {
  readonly bucket: string;
  /** Start of all keys: empty, or it ends with a slash. */
  readonly prefix: string;
  /** URL of the storage. @default that of AWS */
  readonly endpoint: string | undefined;
  /** @default `AWS_REGION` or the region of the AWS profile; `us-east-1` with an endpoint */
  readonly region: string | undefined;
  /** True if the bucket is a part of the path and not of the host name. @default true with an endpoint */
  readonly pathStyle: boolean;
  /** Address without parameters, for messages. */
  readonly text: string;
}

const parameters = ["endpoint", "region", "pathStyle"];
const bucketName = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

/**
 * Parses an address such as `s3://bucket/prefix?endpoint=https://storage.example&region=eu-west-1&pathStyle=true`.
 * @throws {Error} for an invalid address. The message does not have the address, which could have a password.
 */
export function parseAddress(url: string): Address {
  if (!URL.canParse(url)) throw invalid("expected s3://bucket/prefix");
  const { protocol, username, password, host, pathname, searchParams, hash } = new URL(url);
  if (protocol !== "s3:") throw invalid(`expected s3://bucket/prefix, got the scheme ${protocol}`);
  if (username !== "" || password !== "")
    throw invalid("it has credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  if (!bucketName.test(host)) throw invalid("the bucket needs 3 to 63 lowercase letters, digits, dots and hyphens");
  if (hash !== "") throw invalid("it has a fragment (#)");
  for (const name of searchParams.keys())
    if (!parameters.includes(name)) throw invalid(`unknown parameter ${name}; expected ${parameters.join(", ")}`);
  const path = decodeURIComponent(pathname).replace(/^\/+|\/+$/g, "");
  const endpoint = parseEndpoint(searchParams.get("endpoint"));
  return {
    bucket: host,
    prefix: path === "" ? "" : `${path}/`,
    endpoint,
    region: searchParams.get("region") ?? undefined,
    pathStyle: parseBoolean(searchParams.get("pathStyle")) ?? endpoint !== undefined,
    text: `s3://${host}${path === "" ? "" : `/${path}`}`,
  };
}

function parseEndpoint(text: string | null): string | undefined {
  if (text === null) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol))
    throw invalid("endpoint: expected an http or https URL");
  if (url.username !== "" || url.password !== "") throw invalid("endpoint: it has credentials");
  return url.href;
}

function parseBoolean(text: string | null): boolean | undefined {
  if (text === null) return undefined;
  if (text !== "true" && text !== "false") throw invalid("pathStyle: expected true or false");
  return text === "true";
}

function invalid(reason: string): Error {
  return new Error(`Invalid address of results: ${reason}.`);
}
