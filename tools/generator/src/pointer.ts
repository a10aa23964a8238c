/** Returns the JSON pointer (RFC 6901) of a member: `/methods` + `0` + `a/b` is `/methods/0/a~1b`. */
export function pointerBelow(pointer: string, ...segments: readonly (string | number)[]): string {
  const escaped = segments.map((segment) => `/${String(segment).replaceAll("~", "~0").replaceAll("/", "~1")}`);
  return pointer + escaped.join("");
}

/** Returns the segments of a JSON pointer: `/queryRun/state` is `["queryRun", "state"]`. */
export function pointerSegments(pointer: string): readonly string[] {
  if (pointer === "") return [];
  return pointer
    .slice(1)
    .split("/")
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}
