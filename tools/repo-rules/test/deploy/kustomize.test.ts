import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readConfiguration } from "@quern/server";
import { Deployment, type IDeployment } from "kubernetes-models/apps/v1";
import { Ingress, NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1";
import { ConfigMap, Service } from "kubernetes-models/v1";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  containerInstructions,
  deployExample,
  type KubernetesObject,
  kustomizations,
  kustomizeFiles,
  objectsIn,
  readKustomization,
  readObjects,
  readSettingsFile,
} from "../../src/deploy-example.ts";
import { read, root } from "../../src/tree.ts";

const models = { ConfigMap, Deployment, Ingress, NetworkPolicy, PodDisruptionBudget, Service };
const modules: Readonly<Record<string, string>> = { "apps/v1": "apps/v1", v1: "v1" };

/** Returns the faults of an object by the schema of Kubernetes. */
function faultsOf(object: KubernetesObject): readonly string[] {
  const Model = Object.entries(models).find(([kind]) => kind === object.kind)?.[1];
  if (Model === undefined) return [`no schema for ${object.kind}`];
  try {
    // The constructors accept members of their kind only; the check below is what finds others.
    Reflect.construct(Model, [object]).validate();
    return [];
  } catch (error) {
    return [`${object.kind}: ${error}`];
  }
}

/** Returns the faults that TypeScript finds in objects as literals of their types, such as unknown members. */
function unknownMembers(objects: readonly KubernetesObject[]): string {
  const folder = join(root, "tools/repo-rules/.snippets/kustomize");
  mkdirSync(folder, { recursive: true });
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const lines = objects.map((object, index) => {
    const group = modules[object.apiVersion] ?? object.apiVersion;
    const type = `import("kubernetes-models/${group}").I${object.kind}`;
    return `export const object${index}: ${type} = ${JSON.stringify(object, null, 1)};`;
  });
  const file = join(folder, "objects.ts");
  writeFileSync(file, lines.join("\n"));
  const tsc = join(root, "node_modules/.bin/tsc");
  const options = ["--ignoreConfig", "--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--types", ""];
  return spawnSync(tsc, [...options, file], { cwd: root, encoding: "utf8" }).stdout;
}

const listed = kustomizations.map((folder) => {
  const { resources, patches = [], configMapGenerator } = readKustomization(folder);
  const files = [...resources, ...patches.map(({ path }) => path), ...configMapGenerator.flatMap(({ envs }) => envs)];
  return { folder, resources, files };
});

/** Objects that the files have, without the patches. */
const objects = listed.flatMap(({ folder, resources }) =>
  resources.filter((file) => file.endsWith(".yaml")).flatMap((file) => readObjects(folder, file)),
);

const [deployment] = objects.filter((object): object is IDeployment & KubernetesObject => object.kind === "Deployment");
const pod = deployment?.spec?.template.spec;
const [container] = pod?.containers ?? [];
const settings = Object.assign({}, ...kustomizations.map(readSettingsFile));

describe("the files of kustomize", () => {
  it("are all listed, and no other is", () => {
    for (const { folder, files } of listed) {
      const own = files.filter((file) => !file.startsWith("../"));
      expect([...own, "kustomization.yaml"].sort()).toEqual([...kustomizeFiles(folder)].sort());
    }
    expect(listed.flatMap(({ files }) => files.filter((file) => file.startsWith("../")))).toEqual(["../base"]);
  });

  it("have objects of Kubernetes, without unknown members", () => {
    expect(objects).toHaveLength(5);
    expect(objects.flatMap(faultsOf)).toEqual([]);
    expect(unknownMembers(objects)).toBe("");
    expect(faultsOf({ apiVersion: "apps/v1", kind: "Deployment", spec: {} })).toHaveLength(1);
    const misspelt = { apiVersion: "policy/v1", kind: "PodDisruptionBudget", spec: { maxUnavailabel: 1 } };
    expect(unknownMembers([misspelt])).toContain("maxUnavailabel");
  });

  it("select the pods of the Deployment", () => {
    const labels = deployment?.spec?.template.metadata?.labels;
    const selectors = objects.flatMap(({ kind, spec }) => {
      const { selector, podSelector } = Object.assign({ selector: undefined, podSelector: undefined }, spec);
      return [selector, podSelector].flatMap((each) => (each === undefined ? [] : [[kind, each]]));
    });
    expect(Object.fromEntries(selectors)).toEqual({
      Deployment: { matchLabels: labels },
      NetworkPolicy: { matchLabels: labels },
      PodDisruptionBudget: { matchLabels: labels },
      Service: labels,
    });
  });

  it("set valid settings, and no variable that the server does not read", () => {
    const own = (container?.env ?? []).map(({ name, value }) => [name, value ?? "text of the secret"]);
    const env = { ...settings, ...Object.fromEntries(own) };
    readConfiguration({ env, flags: {} });
    const others = Object.keys(env).filter((name) => !name.startsWith("QUERN_"));
    expect(others.sort()).toEqual(["AWS_ACCESS_KEY_ID", "AWS_REGION", "AWS_SECRET_ACCESS_KEY"]);
    expect(pod?.enableServiceLinks).toBe(false); // with them, Kubernetes sets QUERN_PORT for the Service quern
    const folder = String(env.QUERN_STORE_PASSWORD_FILE);
    const file = pod?.volumes?.find(({ secret }) => secret)?.secret?.items?.[0]?.path;
    const mount = container?.volumeMounts?.find(({ name }) => name === "secrets")?.mountPath;
    expect(folder).toBe(`${mount}/${file}`);
  });

  it("use the port, the directory and the user of the image", () => {
    const [env = ""] = containerInstructions().flatMap((each) =>
      each.getKeyword() === "ENV" ? [each.getArgumentsContent() ?? ""] : [],
    );
    expect(env).toContain(`QUERN_PORT=${container?.ports?.[0]?.containerPort}`);
    expect(env).toContain(`QUERN_DATA_DIR=${container?.volumeMounts?.find(({ name }) => name === "data")?.mountPath}`);
    const volumes = new Set(pod?.volumes?.map(({ name }) => name));
    expect(new Set(container?.volumeMounts?.map(({ name }) => name))).toEqual(volumes);
    const paths = [container?.startupProbe, container?.readinessProbe, container?.livenessProbe];
    expect(paths.map((probe) => probe?.httpGet?.path)).toEqual(["/healthz", "/readyz", "/healthz"]);
  });

  it("stop a server after the load balancer has noticed, and before Kubernetes ends it", () => {
    const { periodSeconds = 0, failureThreshold = 0, timeoutSeconds = 0 } = container?.readinessProbe ?? {};
    const delay = Number(settings.QUERN_SHUTDOWN_DELAY_SECONDS);
    expect(delay).toBeGreaterThan(periodSeconds * failureThreshold);
    expect(timeoutSeconds).toBeGreaterThan(2);
    expect(pod?.terminationGracePeriodSeconds).toBeGreaterThan(delay + 5);
  });

  it("have a volume that is larger than what the limits allow", () => {
    const { limits = {}, maxResultCacheBytes = 0 } = readConfiguration({ env: settings, flags: {} });
    const { maxRunningRuns = 0, maxResultBytes = 0, spillMegabytes = 0 } = limits;
    const ofRun = spillMegabytes * 1e6 + maxResultBytes + 100e6;
    const size = String(pod?.volumes?.find(({ name }) => name === "data")?.emptyDir?.sizeLimit);
    const bytes = Number(/^(\d+)Gi$/.exec(size)?.[1]) * 2 ** 30;
    expect(bytes).toBeGreaterThan(maxResultCacheBytes + maxResultBytes + maxRunningRuns * ofRun);
  });

  it("take each secret that the README creates", () => {
    const created = [...read(`${deployExample}/README.md`).matchAll(/--from-literal=([\w-]+)=/g)].map(([, key]) => key);
    const used = (container?.env ?? []).flatMap(({ valueFrom }) => valueFrom?.secretKeyRef?.key ?? []);
    expect([...used, "store-password"].sort()).toEqual(created.sort());
  });
});

if (spawnSync("kubectl", ["kustomize", "--help"]).status !== 0) {
  it.skip("kustomize does not build the overlay here: the machine lacks kubectl"); // as its name says
} else {
  it("kustomize builds the overlay, with the settings of both folders and the volume of the sources", () => {
    const folder = join(root, deployExample, "kustomize/production");
    const { stdout, stderr } = spawnSync("kubectl", ["kustomize", folder], { encoding: "utf8" });
    expect(stderr).toBe("");
    const built = objectsIn(stdout);
    expect(built.flatMap(faultsOf)).toEqual([]);
    expect(unknownMembers(built)).toBe("");
    const map = built.find(({ kind }) => kind === "ConfigMap");
    expect(map?.data).toEqual(settings);
    const text = JSON.stringify(built.find(({ kind }) => kind === "Deployment"));
    expect(text).toContain('{"name":"sources","persistentVolumeClaim":{"claimName":"quern-sources","readOnly":true}}');
    expect(text).toContain(`"configMapRef":{"name":"${Object.assign({ name: "" }, map?.metadata).name}"}`);
  });
}
