import { inspect } from "node:util";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type ClientOptions, createClient, type Fetch, getQueryRun, QuernError } from "../../src/index.ts";
import { type Exchange, each, startServer } from "../support/scripted-server.ts";

const echo = each(({ params: [{ queryRunId }] }) => ({ result: { queryRun: { id: queryRunId } } }));
const sentBy = ({ headers }: Exchange) => headers.authorization ?? headers["x-api-key"];

/** Starts a server that accepts only the listed secrets. */
const startGuarded = (good: readonly (string | undefined)[]) =>
  startServer((exchange) => (good.includes(sentBy(exchange)?.toString()) ? echo(exchange) : { status: 401, body: "" }));

describe("a credential", () => {
  it("is a token in Authorization, and then no key is sent", async () => {
    await using server = await startServer(echo);
    await getQueryRun(createClient({ url: server.url, token: "t1" }), { queryRunId: "a" });
    expect(server.exchanges[0]?.headers).toMatchObject({ authorization: "Bearer t1" });
    expect(server.exchanges[0]?.headers).not.toHaveProperty("x-api-key");
  });

  it.each<[string, string | (() => string), string]>([
    ["all printable ASCII characters", "!az AZ~", "!az AZ~"],
    ["the text of a function", () => "k !~", "k !~"],
  ])("is a key with %s in X-Api-Key, without a prefix", async (_name, apiKey, expected) => {
    await using server = await startServer(echo);
    await getQueryRun(createClient({ url: server.url, apiKey }), { queryRunId: "a" });
    expect(server.exchanges[0]?.headers).toMatchObject({ "x-api-key": expected });
    expect(server.exchanges[0]?.headers).not.toHaveProperty("authorization");
  });

  it.each([
    ["apiKey", "token"],
    ["token", "apiKey"],
  ] as const)("is the %s if the %s is undefined", async (name, other) => {
    await using server = await startServer(echo);
    const options = { url: server.url, [name]: "a", [other]: undefined } as ClientOptions; // As a program without types may have it.
    await getQueryRun(createClient(options), { queryRunId: "a" });
    expect(server.exchanges.map(sentBy)).toEqual([name === "token" ? "Bearer a" : "a"]);
  });

  it("that is a text is not sent again after it is refused", async () => {
    await using server = await startGuarded([]);
    const client = createClient({ url: server.url, apiKey: "k" });
    await expect(getQueryRun(client, { queryRunId: "a" })).rejects.toMatchObject({ kind: "http", status: 401 });
    expect(server.exchanges.map(sentBy)).toEqual(["k"]);
  });

  it("is missing behind a proxy that adds it", async () => {
    await using server = await startServer(echo);
    await getQueryRun(createClient({ url: server.url }), { queryRunId: "a" });
    expect(server.exchanges.map(sentBy)).toEqual([undefined]);
  });

  it.each(["apiKey", "token"] as const)("is read from the function %s once, until it is refused", async (name) => {
    const prefix = name === "token" ? "Bearer " : "";
    await using server = await startGuarded([`${prefix}new`]);
    const secrets = ["old", "new"];
    const read = vi.fn(async () => secrets.shift());
    const client = createClient({ url: server.url, [name]: read });
    await getQueryRun(client, { queryRunId: "a" });
    await getQueryRun(client, { queryRunId: "b" });
    expect(server.exchanges.map(sentBy)).toEqual(["old", "new", "new"].map((secret) => prefix + secret));
    expect(read).toHaveBeenCalledTimes(2);
  });

  it("is renewed once for requests that are refused at the same time", async () => {
    let refusals = 0;
    let release = () => {};
    const bothRefused = new Promise<void>((resolve) => {
      release = resolve;
    });
    await using server = await startServer(async (exchange) => {
      if (sentBy(exchange) !== "Bearer old") return echo(exchange);
      refusals += 1;
      if (refusals === 2) release();
      await bothRefused;
      return { status: 401, body: "" };
    });
    const secrets = ["old", "new", "too new"];
    const read = vi.fn(() => secrets.shift());
    const client = createClient({ url: server.url, token: read, batch: false });
    await Promise.all(["a", "b"].map((queryRunId) => getQueryRun(client, { queryRunId })));
    expect(server.exchanges.map(sentBy)).toEqual(["Bearer old", "Bearer old", "Bearer new", "Bearer new"]);
    expect(read).toHaveBeenCalledTimes(2);
  });

  it("is renewed once for each request, and not sent again if it is the same", async () => {
    await using server = await startGuarded([]);
    let count = 0;
    const fresh = createClient({ url: server.url, token: () => `t${++count}` });
    await expect(getQueryRun(fresh, { queryRunId: "a" })).rejects.toMatchObject({ kind: "http", status: 401 });
    expect(server.exchanges.map(sentBy)).toEqual(["Bearer t1", "Bearer t2"]);
    const same = createClient({ url: server.url, token: () => "same" });
    await expect(getQueryRun(same, { queryRunId: "a" })).rejects.toMatchObject({ status: 401 });
    expect(server.exchanges).toHaveLength(3);
  });

  it("is refused where a function gives what no header can have", async () => {
    await using server = await startGuarded([]);
    for (const secret of ["two\nlines", 7 as never]) {
      const client = createClient({ url: server.url, token: () => secret, retries: 0 });
      await expect(getQueryRun(client, { queryRunId: "a" })).rejects.toMatchObject({
        message: expect.stringMatching(
          /Invalid token\(\): expected one line of ASCII text, got (?:other characters|number)$/,
        ),
      });
    }
    expect(server.exchanges).toEqual([]);
  });

  it("that a function does not return is not sent, and an error of the function is a network error", async () => {
    await using server = await startGuarded([]);
    for (const nothing of [undefined, ""]) {
      const client = createClient({ url: server.url, token: () => nothing });
      await expect(getQueryRun(client, { queryRunId: "a" })).rejects.toMatchObject({ kind: "http", status: 401 });
    }
    expect(server.exchanges.map(sentBy)).toEqual([undefined, undefined]);
    const answers: Promise<string>[] = [Promise.reject(new Error("sign-in is away")), Promise.resolve("now")];
    const signIn = createClient({ url: server.url, apiKey: async () => answers.shift(), retries: 0 });
    await expect(getQueryRun(signIn, { queryRunId: "a" })).rejects.toMatchObject({
      kind: "network",
      message: "getQueryRun: no answer: sign-in is away",
    });
    // The function is called again for the next request.
    await expect(getQueryRun(signIn, { queryRunId: "a" })).rejects.toMatchObject({ status: 401 });
  });

  it("is not part of any error, whatever the transport throws", async () => {
    const fetch: Fetch = (_url, { headers }) => {
      throw new TypeError(
        `invalid header value ${headers.authorization} ${headers.cookie}, twice: ${headers.authorization}`,
      );
    };
    const headers = { cookie: "session=2718281828" };
    const client = createClient({
      url: "http://host",
      token: async () => "tk_very_secret",
      headers,
      fetch,
      retries: 0,
    });
    const error: unknown = await getQueryRun(client, { queryRunId: "r" }).catch((reason) => reason);
    expect(error).toBeInstanceOf(QuernError);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/very_secret|2718281828/);
    expect(inspect(client, { depth: 9, showHidden: true })).not.toMatch(/very_secret|2718281828/);
  });
});

describe("the options of a client", () => {
  it.each<[string, object, string | RegExp]>([
    ["two credentials", { apiKey: "k", token: "t" }, "apiKey and token are both given; remove one of them"],
    ["an empty token", { token: "" }, "Invalid token: expected one line of ASCII text, got an empty text"],
    ["a token of two lines", { token: "a\nb" }, "Invalid token: expected one line of ASCII text, got other characters"],
    [
      "a key with other letters",
      { apiKey: "ß" },
      "Invalid apiKey: expected one line of ASCII text, got other characters",
    ],
    [
      "a variable that is not set",
      { apiKey: undefined },
      "Invalid apiKey: expected one line of ASCII text, got undefined; remove the member to call without a credential",
    ],
    [
      "two credentials that are functions",
      { apiKey: () => "k", token: () => "t" },
      "Invalid options: apiKey and token",
    ],
    ["two empty credentials", { apiKey: "", token: "" }, "Invalid options: apiKey and token are both given"],
    ["a token that is not set", { token: undefined }, "Invalid token: expected one line of ASCII text, got undefined;"],
    ["two that are not set", { token: undefined, apiKey: undefined }, "Invalid apiKey: expected one line"],
    ["an empty key", { apiKey: "" }, /^Invalid apiKey: .*, got an empty text$/],
    ["a key with a control character", { apiKey: "a\u007f" }, /^Invalid apiKey: .*, got other characters$/],
    [
      "a key with a control character at the start",
      { apiKey: "\u001fa" },
      /^Invalid apiKey: .*, got other characters$/,
    ],
    ["a key with a line break at the end", { apiKey: "a\n" }, /^Invalid apiKey: .*, got other characters$/],
    ["a key of another type", { apiKey: 7 }, "createClient: invalid apiKey: expected string or function, got number"],
    ["another spelling", { apikey: "k" }, "createClient: unknown option: apikey; did you mean apiKey?"],
    ["a name of other clients", { accessToken: "t" }, "unknown option: accessToken; did you mean token?"],
    ["an unfinished name", { timeout: 5 }, "unknown option: timeout; did you mean timeoutMs?"],
    ["a name that two options resemble", { apiToken: "t" }, "unknown option: apiToken; did you mean token?"],
    ["null", { interceptors: null }, "createClient: invalid interceptors: expected object, got null"],
    ["a text for a number", { timeoutMs: "5" }, "invalid timeoutMs: expected number, got string"],
  ])("are refused: %s", (_name, options, message) => {
    const create = () => createClient({ url: "http://host", ...options } as ClientOptions);
    expect(create).toThrow(TypeError);
    expect(create).toThrow(message);
  });

  it("are refused if the address has another name", () => {
    const options = { baseUrl: "http://host", apiKey: "k" } as unknown as ClientOptions; // As a program without types may have it.
    expect(() => createClient(options)).toThrow("createClient: unknown option: baseUrl; did you mean url?");
    expect(() => createClient({ apiKey: "k" } as ClientOptions)).toThrow("Invalid url: undefined; use an absolute URL");
  });

  it("are refused without the password of an address", () => {
    const create = () => createClient({ url: "http://ann:very_secret@host:port" });
    expect(create).toThrow('Invalid url: "http://…@host:port"; use an absolute URL');
  });

  it("may have other members, such as a mock server", () => {
    const mock = { url: "http://host", apiKey: "k", clock: {}, when: () => {}, reset: () => {}, constructor: 5 };
    expect(createClient(mock).url).toBe("http://host/json-rpc");
  });

  it("add headers from a value or a function, and never replace headers of the client", async () => {
    await using server = await startServer(echo);
    const fixed = { "X-Tenant": "acme", "Content-Type": "text/plain", "X-Api-Key": "other", "x-none": undefined };
    await getQueryRun(createClient({ url: server.url, apiKey: "k", headers: fixed }), { queryRunId: "a" });
    let count = 0;
    const counted = createClient({ url: server.url, headers: async () => ({ "x-count": String(++count) }) });
    await getQueryRun(counted, { queryRunId: "a" });
    await getQueryRun(counted, { queryRunId: "a" });
    const [first, ...others] = server.exchanges.map(({ headers }) => headers);
    expect(first).toMatchObject({ "x-tenant": "acme", "content-type": "application/json", "x-api-key": "k" });
    expect(first).not.toHaveProperty("x-none");
    expect(others.map((headers) => headers["x-count"])).toEqual(["1", "2"]);
  });

  it("pass `credentials` to fetch, only if it is set", async () => {
    const inits: object[] = [];
    const fetch: Fetch = async (_url, init) => {
      inits.push(init);
      return { status: 401, headers: new Headers(), text: async () => "" };
    };
    for (const options of [{ credentials: "include" as const }, {}]) {
      const client = createClient({ url: "http://host", fetch, ...options });
      await expect(getQueryRun(client, { queryRunId: "a" })).rejects.toMatchObject({ status: 401 });
    }
    expect(inits[0]).toHaveProperty("credentials", "include");
    expect(inits[1]).not.toHaveProperty("credentials");
  });
});

describe("an address relative to the page", () => {
  afterEach(() => vi.unstubAllGlobals());

  it("is resolved against the address of the page", () => {
    vi.stubGlobal("location", { href: "https://acme.example/reports/2026?x=1" });
    const urlOf = (url: string) => createClient({ url }).url;
    expect(["/quern", "/", "quern", "//other.example/q"].map(urlOf)).toEqual([
      "https://acme.example/quern/json-rpc",
      "https://acme.example/json-rpc",
      "https://acme.example/reports/quern/json-rpc",
      "https://other.example/q/json-rpc",
    ]);
    expect(() => urlOf("")).toThrow('Invalid url: ""; use an absolute URL');
  });

  it("is refused without a page", () => {
    const create = () => createClient({ url: "/quern" });
    expect(create).toThrow(TypeError);
    expect(create).toThrow('Invalid url: "/quern"; use an absolute URL, e.g. http://127.0.0.1:8080');
  });
});
