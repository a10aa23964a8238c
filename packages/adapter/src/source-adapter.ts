import type { SecretPlace, Source } from "./source.ts";
import type { SourceKind } from "./source-kind.ts";

/** Services that the server gives an adapter. */
export interface SourceKindContext {
  /**
   * Reads a secret at each call, so that a changed password needs no restart. Without a line break at its end.
   * @throws {Error} if the file or variable does not exist; the message never has the secret
   */
  readonly secret: (place: SecretPlace) => Promise<string>;
  /** Directory for temporary files, on the file system of the service. Each result removes its own. */
  readonly workDirectory: string;
}

/**
 * Exports of a package that serves data sources. The server loads the package that the setting `adapters` names for a
 * kind of source; it knows the packages of Quern without the setting.
 */
export interface SourceAdapter {
  /** Creates the adapter. It serves all sources of its kind, and connects when the first of them is used. */
  createSourceKind(context: SourceKindContext): SourceKind | Promise<SourceKind>;
  /**
   * Checks the configuration of a source without a connection: before it is added, when the service starts, and before
   * each use.
   * @throws {Error} one line that names the part at fault and what is expected
   */
  checkSource(source: Source): void;
  /**
   * Returns the statements that show whether the objects of an address exist, such as its catalog. `quern sources check`
   * runs them. @default `SELECT 1`
   */
  checkStatements?(source: Source): readonly string[];
}
