// Chromium refuses to run its sandbox as root.
const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];

export default {
  testMatch: "playwright*.spec.*",
  timeout: 300_000,
  use: { baseURL: process.env.APP_URL, launchOptions: { executablePath: process.env.CHROMIUM, args } },
};
