import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { checkSource } from "../../src/source/source-kind.ts";
import { parseAddress } from "../../src/store/address.ts";

const address = "postgres://reader@db.example.com/shop";
const sslOf = (parameters: string): unknown => parseAddress(`${address}?${parameters}`).config.ssl;
const refusalOf = (parameters: string): string => {
  try {
    parseAddress(`${address}?${parameters}`);
  } catch (error) {
    return String(error);
  }
  throw new Error("the address was accepted");
};

it("refuses an unknown sslmode with the nearest known one, also in a data source", () => {
  expect(refusalOf("sslmode=verify-fulll")).toBe(
    "Error: Invalid URL of a PostgreSQL database: unknown sslmode: got verify-fulll; did you mean verify-full?",
  );
  expect(refusalOf("application_name=a&sslmode=requires")).toContain("did you mean require?");
  expect(refusalOf("sslmode=s3cr3t-pa55word")).toBe(
    "Error: Invalid URL of a PostgreSQL database: unknown sslmode: expected disable, no-verify, allow, prefer, require, verify-ca, verify-full.",
  );
  const source = { name: "shop", provider: "postgres", kind: "postgres", path: null, lowerCaseColumns: false };
  expect(() => checkSource({ ...source, address: `${address}?sslmode=verify-fulll` })).toThrow("mean verify-full?");
});

it("refuses an unknown parameter with the nearest known one, also in a data source", () => {
  expect(refusalOf("sslmod=require")).toBe(
    "Error: Invalid URL of a PostgreSQL database: unknown parameter: got sslmod; did you mean sslmode?",
  );
  expect(refusalOf("application_name=a&SSLMODE=require")).toContain("got SSLMODE; did you mean sslmode?");
  expect(refusalOf("requirepeer=postgres")).toContain("unknown parameter: expected sslmode, sslrootcert,");
  expect(refusalOf("s3cr3t-pa55word@db/shop")).not.toContain("s3cr3t");
  const source = { name: "shop", provider: "postgres", kind: "postgres", path: null, lowerCaseColumns: false };
  expect(() => checkSource({ ...source, address: `${address}?sslmod=verify-full` })).toThrow("mean sslmode?");
});

it("uses channel binding if the address asks for it", () => {
  const uses = (parameters: string) => parseAddress(`${address}?${parameters}`).config.enableChannelBinding;
  expect(["", "channel_binding=disable", "channel_binding=require"].map(uses)).toEqual([false, false, true]);
});

it("checks the certificate in all modes but disable and no-verify, without a warning", async () => {
  const warnings: Error[] = [];
  const listener = (warning: Error): number => warnings.push(warning);
  process.on("warning", listener);
  for (const mode of ["allow", "prefer", "require", "verify-ca", "verify-full"])
    expect(sslOf(`sslmode=${mode}`), mode).toEqual({});
  expect(sslOf("sslmode=no-verify")).toEqual({ rejectUnauthorized: false });
  expect(sslOf("sslmode=disable")).toBe(false);
  expect(sslOf("connect_timeout=3")).toBeUndefined();
  expect(sslOf("sslmode=require&uselibpqcompat=true")).toEqual({ rejectUnauthorized: false });
  await setImmediate();
  process.off("warning", listener);
  expect(warnings).toEqual([]);
});

it("keeps the other parameters of the address", () => {
  const { config } = parseAddress(`${address}?options=-c%20geqo%3Doff&sslmode=require&application_name=a%2Bb`);
  expect(config).toMatchObject({ user: "reader", host: "db.example.com", database: "shop", options: "-c geqo=off" });
  expect(config).toMatchObject({ application_name: "a+b" });
  expect(parseAddress("postgres://u@/d?host=/var/run&sslmode=prefer").config).toMatchObject({
    host: "/var/run",
    database: "d",
  });
});

it("names the place of the database with its defaults, and takes a password that is given", () => {
  const textOf = (url: string) => parseAddress(url).text;
  expect(textOf("postgres://u:secret@db.example.com:5433/shop")).toBe("PostgreSQL at db.example.com:5433/shop");
  expect(textOf("postgresql://u@db/")).toMatch(/^PostgreSQL at db:5432\/u?$/);
  expect(parseAddress("postgres://u:old@db/shop", "new").config.password).toBe("new");
  expect(parseAddress("postgres://u:old@db/shop").config.password).toBe("old");
});

it.each(["db/shop", "http://db/shop", "xpostgres://db", "postgres://", "postgres://u@db:port/shop"])(
  "refuses %j, which is no address of a database",
  (url) => {
    expect(() => parseAddress(url)).toThrow(
      "Invalid URL of a PostgreSQL database: it must have the form postgres://user@host:port/database (percent-encode special characters).",
    );
  },
);

it("refuses a file of a certificate that cannot be read, with the reason", () => {
  expect(refusalOf("sslmode=verify-full&sslrootcert=/nowhere.pem")).toBe(
    "Error: Invalid URL of a PostgreSQL database: a file of a certificate or key that it names cannot be read (ENOENT).",
  );
});
