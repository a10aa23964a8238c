/** A JSON pointer (RFC 6901) below another, e.g. `/methods` + `0` + `a/b` -> `/methods/0/a~1b`. */
export function pointerBelow(pointer: string, ...segments: readonly (string | number)[]): string {
  const escaped = segments.map((segment) => `/${String(segment).replaceAll("~", "~0").replaceAll("/", "~1")}`);
  return pointer + escaped.join("");
}

/** The segments of a JSON pointer: `/queryRun/state` -> `["queryRun", "state"]`. */
export function pointerSegments(pointer: string): readonly string[] {
  if (pointer === "") return [];
  return pointer
    .slice(1)
    .split("/")
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}
