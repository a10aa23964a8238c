const { CHROMIUM } = process.env;

export default {
  testMatch: "*.spec.ts",
  workers: 2,
  reporter: "json",
  // Chromium refuses its sandbox to root.
  use: { launchOptions: { executablePath: CHROMIUM, args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] } },
};
