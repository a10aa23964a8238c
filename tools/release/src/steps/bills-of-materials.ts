import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Contrib, Enums, Models, Serialize, Spec } from "@cyclonedx/cyclonedx-library";
import { PackageURL } from "packageurl-js";
import parseExpression from "spdx-expression-parse";
import { type Bundled, bundledLicences } from "../bundled-packages.ts";
import { type Installed, installedIn } from "../installed.ts";
import type { PackedPackage } from "../packed-package.ts";
import type { Step } from "../step.ts";

const licences = new Contrib.License.Factories.LicenseFactory(parseExpression);
const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));

/** Writes a list of the components of each package, in the form of CycloneDX 1.6. */
export const billsOfMaterials: Step = {
  name: "bills of materials (CycloneDX)",
  async run({ folder, packages, projects }) {
    const out = join(folder, "release/sbom");
    mkdirSync(out, { recursive: true });
    let components = 0;
    for (const packed of packages) {
      const project = projects.get(packed.name);
      if (project === undefined) continue;
      const bill = billOf(packed, installedIn(project));
      components += bill.components.size;
      const file = packed.name.replace("@", "").replace("/", "-");
      writeFileSync(join(out, `${file}.cdx.json`), serializer.serialize(bill, { sortLists: true, space: 2 }));
    }
    return { lines: [`${components} components`] };
  },
};

/** Returns the bill of a package: what npm installs with it, and what is bundled in its files. */
function billOf(packed: PackedPackage, installed: readonly Installed[]): Models.Bom {
  const own = installed.find(({ name }) => name === packed.name) ?? packed;
  const bill = new Models.Bom();
  bill.metadata.component = component(own);
  for (const other of [...installed.filter((each) => each !== own), ...bundledLicences(packed)])
    bill.components.add(component(other));
  return bill;
}

type Component = Bundled & { readonly integrity?: string };

function component({ name, version, license, integrity }: Component): Models.Component {
  const [, scope, short = name] = /^(@[^/]+)\/(.+)$/.exec(name) ?? [];
  const purl = new PackageURL("npm", scope, short, version, undefined, undefined).toString();
  const made = new Models.Component(Enums.ComponentType.Library, short, { version, purl, bomRef: purl });
  if (scope !== undefined) made.group = scope;
  if (license !== undefined) made.licenses.add(licences.makeFromString(license));
  const [, digest] = /^sha512-(\S+)$/.exec(integrity ?? "") ?? [];
  if (digest !== undefined)
    made.hashes.set(Enums.HashAlgorithm["SHA-512"], Buffer.from(digest, "base64").toString("hex"));
  return made;
}
