/** Address of objects in object storage, as the settings `results` and `sources` have it. */
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
 * @param of objects at the address, for messages
 * @throws {Error} for an invalid address. The message does not have the address, which could have a password.
 */
export function parseAddress(url: string, of = "results"): Address {
  const invalid = (reason: string): Error => new Error(`Invalid address of ${of}: ${reason}.`);
  if (!URL.canParse(url)) throw invalid("expected s3://bucket/prefix");
  const { protocol, username, password, host, pathname, searchParams, hash } = new URL(url);
  if (protocol !== "s3:") throw invalid(`expected s3://bucket/prefix, got the scheme ${protocol}`);
  if (username !== "" || password !== "")
    throw invalid("it has credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  if (!bucketName.test(host)) throw invalid("the bucket needs 3 to 63 lowercase letters, digits, dots and hyphens");
  if (hash !== "") throw invalid("it has a fragment (#)");
  for (const name of searchParams.keys())
    if (!parameters.includes(name)) throw invalid(`unknown parameter ${name}; expected ${parameters.join(", ")}`);
  const decoded = decodedPath(pathname);
  if (decoded === undefined)
    throw invalid("the prefix has a % that does not begin an encoded character; write %25 for a percent sign");
  const path = decoded.replace(/^\/+|\/+$/g, "");
  const endpoint = parseEndpoint(searchParams.get("endpoint"), invalid);
  return {
    bucket: host,
    prefix: path === "" ? "" : `${path}/`,
    endpoint,
    region: searchParams.get("region") ?? undefined,
    pathStyle: parseBoolean(searchParams.get("pathStyle"), invalid) ?? endpoint !== undefined,
    text: `s3://${host}${path === "" ? "" : `/${path}`}`,
  };
}

/** Returns undefined for a malformed path. */
function decodedPath(pathname: string): string | undefined {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return undefined;
  }
}

/** Start of the keys of all data sources. */
export function sourcePrefix({ prefix }: Address): string {
  return `${prefix}sources/`;
}

type Invalid = (reason: string) => Error;

function parseEndpoint(text: string | null, invalid: Invalid): string | undefined {
  if (text === null) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol))
    throw invalid("endpoint: expected an http or https URL");
  if (url.username !== "" || url.password !== "") throw invalid("endpoint: it has credentials");
  return url.href;
}

function parseBoolean(text: string | null, invalid: Invalid): boolean | undefined {
  if (text === null) return undefined;
  if (text !== "true" && text !== "false") throw invalid("pathStyle: expected true or false");
  return text === "true";
}
