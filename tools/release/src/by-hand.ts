import { manifest } from "../../repo-rules/src/tree.ts";

/** Returns what a person does to publish, in ten lines. */
export function byHand(version: string, firstRelease: boolean): readonly string[] {
  const { homepage } = manifest(".");
  const actions = `${homepage}/actions/workflows/release.yml`;
  const publish = firstRelease
    ? "Publish the first version from a clone of the merged commit: `for p in release/packages/*.tgz; do npm publish $p --access public; done`."
    : "Approve the environment `npm` of the run; its job publishes the packages with a statement of provenance.";
  return [
    `1. Read the changelogs of ${version} in the pull request "Version Packages", and correct the changesets on main if one is unclear.`,
    "2. Run `npm test` and `npm run test:long` on its branch, and `npm audit` with a registry that has advisories.",
    "3. Log in to npm with an account that has publish rights for `@quern` and `quern`, and with a second factor.",
    `4. Merge the pull request, and watch ${actions}`,
    `5. ${publish}`,
    "6. For each new package, set the trusted publisher on npm: this repository, release.yml, environment `npm`.",
    `7. Install from npm in an empty folder: \`npx quern@${version} serve --data-dir ./data\`, and run the program of getting started.`,
    "8. Check the page of each package on npm: README, links, provenance, and `latest`.",
    `9. Attach the bills of materials to the release v${version} on GitHub, and check its notes.`,
    firstRelease
      ? "10. Remove the sentence that the packages are not on npm yet from the documents, and link the site."
      : "10. Publish the site of this version, and announce it.",
  ];
}
