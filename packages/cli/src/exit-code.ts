/** What a shell learns from the exit code. */
export const exitCodes = {
  success: 0,
  unexpected: 1,
  usage: 2,
  auth: 3,
  failed: 4,
  canceled: 5,
  timeout: 6,
  network: 7,
  declared: 8,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
