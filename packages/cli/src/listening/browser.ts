import { spawn } from "node:child_process";

/**
 * Opens a link in the default browser. Does nothing on a machine without a display, or without the program that opens
 * links: the link is also printed.
 */
export function openInBrowser(url: string, env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): void {
  const command = commandFor(platform, env);
  if (command === undefined) return;
  const [program, ...words] = command;
  // The browser must not inherit the first key.
  const others = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("QUERN_")));
  const child = spawn(program, [...words, url], { env: others, stdio: "ignore", detached: true });
  child.on("error", () => {});
  child.unref();
}

function commandFor(
  platform: NodeJS.Platform,
  env: NodeJS.ProcessEnv,
): readonly [program: string, ...words: readonly string[]] | undefined {
  if (platform === "darwin") return ["open"];
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ["xdg-open"] : undefined;
}
