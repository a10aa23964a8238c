import type { Target } from "../../target.ts";
import { folderOf } from "../../target-folders.ts";
import { contractFile } from "./contract.ts";
import { defaultsFile } from "./defaults.ts";
import { errorsFile } from "./errors.ts";
import { methodsFile } from "./methods.ts";
import { typesFile } from "./types.ts";
import { validatorsFile } from "./validators.ts";

/** Types, descriptors, errors, validators and defaults of the methods. */
export const protocol: Target = {
  name: "protocol",
  folder: folderOf.protocol,
  files: (model) => [
    typesFile(model),
    errorsFile(model),
    methodsFile(model),
    validatorsFile(model),
    contractFile(model),
    defaultsFile(model),
  ],
};
