/** Exit codes by the kind of an error; a signal is 128 and its number, as shells have it. */
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
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Signals that stop a command, with their exit codes. */
export const stopSignals = {
  SIGINT: exitCodes.interrupted,
  SIGTERM: exitCodes.terminated,
  SIGHUP: exitCodes.hungUp,
} as const;

export type StopSignal = keyof typeof stopSignals;
