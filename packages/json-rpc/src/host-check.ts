const loopback = /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/;

/** Returns the name in a `Host` header, without the port. */
export function hostName(header = ""): string {
  return header.toLowerCase().replace(/:\d+$/, "").replace(/\.$/, "");
}

/** Tells whether a name or an address means the machine itself, without a lookup. */
export function isLoopbackName(name: string): boolean {
  return loopback.test(name);
}

/**
 * Creates a function that accepts the `Host` headers of loopback names and of the allowed hosts. It protects a server
 * that trusts callers on its own machine: a web page can point its own name at this machine (DNS rebinding), but cannot
 * change the header.
 * @param allowedHosts names without a port
 */
export function createHostCheck(allowedHosts: readonly string[] = []): (header: string | undefined) => boolean {
  const allowed = new Set(allowedHosts.map(hostName));
  return (header) => {
    const name = hostName(header);
    return isLoopbackName(name) || allowed.has(name);
  };
}
