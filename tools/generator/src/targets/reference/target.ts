import type { Target } from "../../target.ts";
import { folderOf } from "../../target-folders.ts";
import { errorsPage } from "./errors.ts";
import { methodPage } from "./method.ts";
import { mockAdminPage } from "./mock-admin.ts";
import { readmePage } from "./readme.ts";
import { settingsPages } from "./settings.ts";
import { typesPage } from "./types.ts";

/** Reference in Markdown: a page for each method, and pages of types, errors, settings, limits and the admin API of the mock. */
export const reference: Target = {
  name: "reference",
  folder: folderOf.reference,
  files: (model, mockAdmin, settings) => [
    readmePage(model, mockAdmin),
    ...model.methods.map((method) => methodPage(model, method)),
    errorsPage(model),
    typesPage(model),
    mockAdminPage(mockAdmin),
    ...settingsPages(settings),
  ],
};
