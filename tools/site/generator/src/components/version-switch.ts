/** The scripts lie in the folder `<site>/<version>/_astro/`. */
const version = new URL("..", import.meta.url);
const site = new URL("..", version);

/** Selects the version of the documents, and opens the same page of it. */
class VersionSwitch extends HTMLElement {
  async connectedCallback() {
    const select = this.querySelector("select");
    const response = await fetch(new URL("versions.json", site)).catch(() => undefined);
    if (select === null || !response?.ok) return;
    const { latest, versions }: { latest: string; versions: string[] } = await response.json();
    const [, shown = ""] = version.pathname.match(/([^/]+)\/$/) ?? [];
    const current = shown === "latest" ? latest : shown;
    for (const name of versions) {
      select.add(new Option(name === latest ? `${name} (latest)` : name, name, false, name === current));
    }
    select.hidden = false;
    select.addEventListener("change", () => open(select.value));
  }
}

/** Opens the same page of a version, or its first page if it lacks the page. */
async function open(name: string): Promise<void> {
  const start = new URL(`${name}/`, site);
  const same = new URL(location.pathname.slice(version.pathname.length), start);
  const { ok } = await fetch(same, { method: "HEAD" });
  location.href = ok ? same.href : start.href;
}

customElements.define("version-switch", VersionSwitch);
