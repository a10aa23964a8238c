import { readdirSync } from "node:fs";
import { join, posix } from "node:path";
import { DockerfileParser, type Instruction } from "dockerfile-ast";
import { parse, parseAllDocuments } from "yaml";
import { read, root } from "./tree.ts";

/** Folder of the files with which servers start in containers. */
export const deployExample = "examples/deploy";

type Variables = Readonly<Record<string, string>>;

interface ComposeService {
  readonly image: string;
  readonly environment?: Variables;
  readonly command?: readonly string[];
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly stop_grace_period?: string;
  readonly depends_on?: readonly string[] | Readonly<Record<string, unknown>>;
}

interface Compose {
  readonly name: string;
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

/** Returns `compose.yaml`, with its merge keys resolved. */
export function readCompose(): Compose {
  return parse(read(`${deployExample}/compose.yaml`), { merge: true });
}

/** Returns the services of `compose.yaml` that are servers of Quern. */
export function composeServers(): readonly (ComposeService & { readonly name: string })[] {
  return Object.entries(readCompose().services).flatMap(([name, service]) =>
    /^quern-\d$/.test(name) ? [{ name, ...service }] : [],
  );
}

/** Replaces `${NAME:?}` and `${NAME:-default}`, as Docker Compose does with the variables of `.env`. */
export function interpolated(text: string, values: Variables): string {
  return text.replaceAll(/\$\{(\w+):(?:\?|-([^}]*))\}/g, (whole, name: string, otherwise?: string) => {
    const value = values[name] ?? otherwise;
    if (value === undefined) throw new Error(`no value for ${whole}`);
    return value;
  });
}

export function readHaproxy(): string {
  return read(`${deployExample}/haproxy.cfg`);
}

/** Returns the instructions of the Containerfile that are not comments. */
export function containerInstructions(): readonly Instruction[] {
  return DockerfileParser.parse(read(`${deployExample}/Containerfile`)).getInstructions();
}

/** Object of Kubernetes or kustomize. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly [member: string]: unknown;
}

export interface Kustomization extends KubernetesObject {
  readonly resources: readonly string[];
  readonly patches?: readonly { readonly path: string }[];
  readonly configMapGenerator: readonly { readonly name: string; readonly envs: readonly string[] }[];
}

/** Folders of kustomize, the base first. */
export const kustomizations = ["base", "production"] as const;

export function kustomizeFiles(folder: string): readonly string[] {
  return readdirSync(join(root, deployExample, "kustomize", folder));
}

export function readKustomization(folder: string): Kustomization {
  return parse(read(posix.join(deployExample, "kustomize", folder, "kustomization.yaml")));
}

/** Returns the objects of a YAML file of kustomize. */
export function readObjects(folder: string, file: string): readonly KubernetesObject[] {
  return objectsIn(read(posix.join(deployExample, "kustomize", folder, file)));
}

export function objectsIn(text: string): readonly KubernetesObject[] {
  return parseAllDocuments(text).map((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    return document.toJS();
  });
}

/** Returns the settings of a file of kustomize with one variable a line. */
export function readSettingsFile(folder: string): Variables {
  const lines = read(posix.join(deployExample, "kustomize", folder, "settings.env")).split("\n");
  const pairs = lines.filter((line) => line !== "" && !line.startsWith("#")).map((line) => line.split(/=(.*)/s, 2));
  return Object.fromEntries(pairs);
}
