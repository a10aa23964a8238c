import { cpSync, existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Version of the documents of a commit that is no release. */
export const unreleased = "next";

const latest = "latest";

/** Returns the versions in a folder of the site: the unreleased one first, then the newest release. */
function versionsIn(folder: string): readonly string[] {
  const found = readdirSync(folder).filter((name) => name !== latest && existsSync(join(folder, name, "index.html")));
  return found.sort((a, b) => rank(b) - rank(a) || b.localeCompare(a, "en", { numeric: true }));
}

const rank = (name: string): number => (name === unreleased ? 1 : 0);

/** Writes the list of versions, and the latest version once more at the address that does not change. */
export function publishVersions(folder: string): void {
  const versions = versionsIn(folder);
  const newest = versions.find((name) => name !== unreleased) ?? unreleased;
  writeFileSync(join(folder, "versions.json"), `${JSON.stringify({ latest: newest, versions })}\n`);
  rmSync(join(folder, latest), { recursive: true, force: true });
  cpSync(join(folder, newest), join(folder, latest), { recursive: true });
  writeFileSync(join(folder, "index.html"), redirect);
  writeFileSync(join(folder, "404.html"), notFound);
}

const redirect = `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <title>Quern</title>
  <link rel="icon" href="${latest}/favicon.svg">
  <meta http-equiv="refresh" content="0; url=${latest}/">
  <p><a href="${latest}/">Documentation of Quern</a></p>
</html>
`;

/** Web servers of static files send it for any address, at any depth, so that it needs no other file and finds the site by its versions. */
const notFound = `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width">
  <meta name="color-scheme" content="light dark">
  <title>Page not found - Quern</title>
  <style>body { font: 1.1rem/1.6 system-ui, sans-serif; max-width: 36rem; margin: 4rem auto; padding: 0 1rem }</style>
  <h1>Page not found</h1>
  <p>The address is wrong, or this version of the documentation has no such page. <a id="home" href="/">Go to the first page</a></p>
  <script>
    const [, site] = /^(.*?\\/)(?:next|latest|\\d+\\.\\d+\\.\\d+[^/]*)\\//.exec(location.pathname) ?? [];
    if (site) home.href = site + "${latest}/";
  </script>
</html>
`;
