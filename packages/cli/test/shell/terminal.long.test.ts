import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { binary, quern } from "../quern.ts";
import { endless, keys, startShellService } from "./shell-service.ts";
import { openTerminal } from "./terminal.ts";

let on: Awaited<ReturnType<typeof startShellService>>;
beforeAll(async () => {
  on = await startShellService();
});
afterAll(() => on?.[Symbol.asyncDispose]());

describe("a statement", () => {
  it("of several lines runs at its semicolon, and the prompt says what is open", async () => {
    using shell = await on.open({ words: [] });
    expect(shell.text()).toMatch(/^Quern at http:\/\/127\.0\.0\.1:\d+; \\\? lists the commands, \\q ends\nquern=>$/);
    for (const [line, sign] of [
      ["select 'a;", "'"],
      ["b' as \"x;", '"'],
      ['" , $$;', "$"],
      ["$$ as y /* ;", "*"],
      ["*/, (1", "("],
      [") -- ;", "-"],
    ] as const) {
      shell.type(line + keys.enter);
      await shell.see(new RegExp(`\\nquern\\${sign}>$`));
    }
    expect(await shell.enter("; select 2 as two;")).toMatch(
      /a;\\nb .*\n1 row in .*\ntwo\n─+\n +2\n1 row in .*\nquern=>$/s,
    );
    expect(await shell.enter("select '日本' as 国, '👩‍👩‍👧' as e, 'ü' as u;")).toMatch(
      /国 {4}e {3}u\n──── {2}── {2}─\n日本 {2}/,
    );
    expect(await shell.enter("EXIT", /EXIT/)).toBe("quern=> EXIT");
    expect(await shell.ended).toBe(0);
  });

  it("of a pasted block runs one after the other, each below its line, with tabs and line ends of Windows", async () => {
    using shell = await on.open();
    shell.type("\u001b[200~select 1\tas one;\r\nselect\r\n\t'two\r\nlines' as two;\r\n\u001b[201~");
    const shown = await shell.see(/two\\nlines\n1 row in .*\nquern=>$/);
    expect(shown).toMatch(
      /quern=> select 1 +as one;\none\n───\n {2}1\n1 row in .*\nquern=> select\nquern-> +'two\nquern'> lines' as two;\ntwo\n─+\ntwo\\nlines\n1 row/,
    );
    shell.type(`select 1 as a;${keys.enter}select 2 as b;${keys.enter}select 3 a`);
    await shell.see(/b\n─\n2\n1 row in .*\nquern=> select 3 a$/);
    expect(await shell.enter("s c;")).toMatch(/c\n─\n3\n1 row/);
  });

  it.each([40, 100])("that fails has the place under a caret in %i columns, and the shell goes on", async (columns) => {
    using shell = await on.open({ columns });
    expect(await shell.enter("select '日本',\tcolour from cars;")).toMatch(/\nline 1: select '日本',.*colour.*\n/);
    const lines = (await shell.enter(`select '${"日".repeat(20)}', colour from cars;`)).split("\n");
    const at = lines.findIndex((line) => line.startsWith("line 1: "));
    const shown = lines[at] ?? "";
    const before = shown.slice(0, shown.indexOf("colour"));
    // Each ideograph takes two columns.
    expect(lines[at + 1]?.length).toBe(before.length + (before.match(/日/g)?.length ?? 0) + 1);
    await shell.enter("select 1,", /->$/);
    expect(await shell.enter("colour;")).toMatch(/\nline 2: colour;?\n {8}\^\n/);
    expect(await shell.enter("\\wacth 5")).toMatch(/\nerror: unknown command: \\wacth; did you\s+mean \\watch\?\n/);
    expect(await shell.enter("select 1 as one;")).toContain("1 row in");
  });

  it("shows at most 1,000 rows, with the number of all, in a pager unless it is off", async () => {
    const seen = join(on.folder, "seen.txt");
    const pager = join(on.folder, "pager.sh");
    await writeFile(pager, `#!/bin/sh\ncat > ${seen}\nprintf 'END OF PAGE'\nread key < /dev/tty\n`, { mode: 0o755 });
    using shell = await on.open({ env: { QUERN_PAGER: pager, PAGER: "false" } });
    shell.type(`select n from range(296000) t(n);${keys.enter}`);
    await shell.see(/END OF PAGE$/);
    expect((await readFile(seen, "utf8")).trimEnd().split("\n")).toHaveLength(1_002);
    shell.type(keys.enter);
    await shell.see(/1,000 of 296,000 rows in [\d.]+ s, \\last all prints all\nquern=>$/);
    shell.type(`\\last 1001${keys.enter}`);
    await shell.see(/END OF PAGE$/);
    expect((await readFile(seen, "utf8")).trimEnd().split("\n").at(-1)).toBe("1000");
    shell.type(keys.enter);
    await shell.see(/1,001 of 296,000 rows/);
    expect(await shell.enter("select 1 as few;")).not.toContain("END OF PAGE");
    await shell.enter("\\pager off");
    await shell.enter("\\rows 50");
    expect(await shell.enter("select n from range(60) t(n);")).toMatch(/\n49\n50 of 60 rows in/);
    // A pager that the user leaves early, and one that does not exist.
    const first = `head -c 20 > /dev/null; exec true`;
    using early = await on.open({ env: { QUERN_PAGER: first } });
    expect(await early.enter("select n, repeat('x', 300) as x from range(900) t(n);")).toMatch(/=>$/);
    using missing = await on.open({ env: { QUERN_PAGER: "no-such-pager" } });
    expect(await missing.enter("select n from range(60) t(n);")).toMatch(/\n59\n60 rows in/);
  });
});

describe("keys", () => {
  it("Tab completes keywords, tables, columns, commands and files, and runs nothing", async () => {
    const runs = async () => (await quern(["runs", "list", "--ids", "--limit", "1000"], on.env)).stdout;
    using shell = await on.open();
    const before = await runs();
    const complete = async (typed: string, expected: string | RegExp) => {
      shell.type(typed + keys.tab);
      await shell.see(typeof expected === "string" ? new RegExp(`=> ${RegExp.escape(expected)}$`) : expected);
      shell.type(keys.ctrlC);
      await shell.see(/\^C\nquern=>$/);
    };
    await complete("sel", "select");
    await complete("SEL", "SELECT");
    await complete("select * from ca", "select * from cars");
    await complete("select horse", "select horsepower");
    await complete("select * from cars c where c.ori", "select * from cars c where c.origin");
    await complete("select * from samples.mai", "select * from samples.main.");
    await complete("select * from main.", "select * from main.cars");
    await complete("select cars.", /=> select cars\.$/);
    shell.type(`select horse from cars${"\u001b[D".repeat(10)}${keys.tab}`);
    await shell.see(/=> select horsepower from cars$/);
    shell.type(`${keys.ctrlC}select${keys.enter}1 from car${keys.tab}`);
    await shell.see(/\nquern-> 1 from cars$/);
    shell.type(keys.ctrlC);
    await complete("\\tim", "\\timing");
    await complete("\\d ca", "\\d cars");
    await complete("\\x au", "\\x auto");
    await complete(`\\i ${on.folder}/car`, `\\i ${on.folder}/cars.csv`);
    await complete(`\\`, /=> \\$/);
    shell.type(`select * from cars where ${keys.tab}${keys.tab}`);
    await shell.see(/\n"name" +origin +horsepower +"comment" +cars\n/);
    expect(await runs()).toBe(before);
  });

  it("Ctrl-C cancels the run and keeps the shell, and clears the line at the prompt; Ctrl-D ends", async () => {
    using shell = await on.open();
    shell.clear();
    shell.type(endless + keys.enter);
    await on.isRunning();
    shell.type(keys.ctrlC);
    await shell.see(/interrupted\. The query of run run_\w+ is withdrawn\.\nquern=>$/);
    expect(await on.endedState()).toBe("canceled");
    shell.type(`select 'half${keys.enter}of it`);
    await shell.see(/quern'> of it$/);
    shell.type(keys.ctrlC);
    await shell.see(/of it\^C\nquern=>$/);
    expect(await shell.enter("select 1 as one;")).toContain("1 row in");
    // The statements that were pasted after the one that is canceled are dropped.
    shell.clear();
    shell.type(`${endless} select 'after it';${keys.enter}`);
    await on.isRunning();
    shell.type(keys.ctrlC);
    await shell.see(/is withdrawn\.\nquern=>$/);
    shell.type(keys.ctrlD);
    expect(await shell.ended).toBe(0);
    expect(shell.text()).not.toContain("after it\n");
  });

  it("the history is kept for the next shell, a statement an entry, for the user alone", async () => {
    const state = { XDG_STATE_HOME: join(on.folder, "state") };
    using first = await on.open({ env: state });
    first.type(`select${keys.enter}`);
    await first.see("quern->");
    await first.enter("  41 as n;");
    await first.enter("\\timing");
    first.type(keys.ctrlD);
    expect(await first.ended).toBe(0);
    const file = join(on.folder, "state", "quern", "history-default");
    expect(await readFile(file, "utf8")).toBe("select 41 as n;\n\\timing\n");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    using second = await on.open({ env: state });
    second.type(keys.up);
    await second.see(/=> \\timing$/);
    second.type(keys.up);
    await second.see(/=> select 41 as n;$/);
    expect(await second.enter("")).toMatch(/\n41\n1 row/);
  });

  it("Ctrl-Z suspends the shell, and fg continues it with a usable terminal", async () => {
    using terminal = openTerminal({ env: { ...on.env, PS1: "system$ " }, program: "/bin/sh", words: ["-i"] });
    await terminal.see("system$");
    terminal.type(`set -m; '${process.execPath}' '${binary}' shell${keys.enter}`);
    await terminal.see("quern=>");
    terminal.type(`select 'typed ${keys.ctrlZ}`);
    await terminal.see(/Stopped|Suspended/);
    await terminal.see(/system\$$/);
    terminal.type(`echo usable${keys.enter}`);
    await terminal.see(/\nusable\n/);
    terminal.type(`fg${keys.enter}`);
    await terminal.see(/quern=> select 'typed$/);
    terminal.type(`before' as word;${keys.enter}`);
    await terminal.see(/\ntyped before\n1 row in .*\nquern=>$/);
    terminal.clear();
    terminal.type(endless + keys.enter);
    await on.isRunning();
    terminal.type(keys.ctrlZ);
    await terminal.see(/system\$$/);
    terminal.type(`fg${keys.enter}`);
    await terminal.see(/fg\n.*shell/s);
    terminal.type(keys.ctrlC);
    await terminal.see(/is withdrawn\.\nquern=>$/);
    terminal.type(`\\q${keys.enter}`);
    await terminal.see(/\\q\n\S*system\$$/);
    terminal.type(`exit${keys.enter}`);
    await terminal.ended;
  });
});

describe("signals", () => {
  it.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("%s ends the shell with %i, at the prompt and in a run, which is withdrawn", async (name, code) => {
    using idle = await on.open();
    idle.type("select 1");
    idle.signal(name);
    expect(await idle.ended).toBe(code);
    using shell = await on.open();
    shell.type(endless + keys.enter);
    await on.isRunning();
    shell.signal(name);
    expect(await shell.ended).toBe(code);
    expect(await on.endedState()).toBe("canceled");
  });

  it("a terminal that is closed ends the shell, and withdraws the run", async () => {
    using shell = await on.open();
    shell.type(endless + keys.enter);
    await on.isRunning();
    shell.close();
    expect(await on.endedState()).toBe("canceled");
    using idle = await on.open();
    idle.close();
    await idle.isGone();
  });

  it("SIGCONT draws the line again, and SIGINT of another process clears it", async () => {
    using shell = await on.open();
    shell.type("select 'typed");
    await shell.see(/typed$/);
    shell.signal("SIGSTOP");
    shell.signal("SIGCONT");
    shell.type(" on' as word;");
    expect(await shell.enter("")).toContain("typed on\n1 row");
    shell.type("select nothing");
    await shell.see(/nothing$/);
    shell.signal("SIGINT");
    await shell.see(/nothing\^C\nquern=>$/);
  });
});
