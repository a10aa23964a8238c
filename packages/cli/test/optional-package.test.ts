import { describe, expect, it } from "vitest";
import { optionalPackage } from "../src/optional-package.ts";

describe("a package that is not installed", () => {
  it("is named with its install line", async () => {
    const missing = () =>
      Promise.reject(
        Object.assign(new Error("Cannot find package '@quern/server' imported from x"), {
          code: "ERR_MODULE_NOT_FOUND",
        }),
      );
    await expect(optionalPackage("serve", "@quern/server", missing)).rejects.toThrow(
      "`quern serve` needs @quern/server; install it: npm install @quern/server",
    );
  });

  it("is told from one that cannot be loaded", async () => {
    const broken = () => Promise.reject(new SyntaxError("broken"));
    await expect(optionalPackage("serve", "@quern/server", broken)).rejects.toThrow(SyntaxError);
  });
});
