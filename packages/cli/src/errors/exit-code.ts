/** Exit codes by the kind of error. As in shells, the code of a signal is 128 plus its number. */
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

/** Exit codes of the signals that stop a command. */
export const stopSignals = {
  SIGINT: exitCodes.interrupted,
  SIGTERM: exitCodes.terminated,
  SIGHUP: exitCodes.hungUp,
} as const;

export type StopSignal = keyof typeof stopSignals;
