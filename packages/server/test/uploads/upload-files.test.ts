import { join } from "node:path";
import { it } from "vitest";
import { createUploadFiles } from "../../src/uploads/upload-files.ts";
import { temporaryDirectory } from "../fixture.ts";
import { expectUploadFiles } from "./upload-files-cases.ts";

it("a directory keeps uploaded files, each written once", async () =>
  expectUploadFiles(await createUploadFiles(join(await temporaryDirectory(), "uploads"))));
