import type { Model } from "./model.ts";
import type { OutputFile } from "./output-file.ts";
import type { ServiceSetting } from "./service-settings.ts";

/** Target of the generator. Targets do not know each other, the disk, or the program that runs them. */
export interface Target {
  readonly name: string;
  /**
   * Folder that belongs to the target only. Files that it no longer generates are removed; any others in it are
   * reported.
   */
  readonly folder: string;
  readonly files: (model: Model, mockAdmin: Model, settings: readonly ServiceSetting[]) => readonly OutputFile[];
}
