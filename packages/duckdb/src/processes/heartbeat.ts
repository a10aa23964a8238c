/** How often a process is asked for a sign of life. */
const intervalMs = 10_000;
/** It is taken for dead when it has left so many questions unanswered. */
const maxUnanswered = 3;

/** Asks a process for signs of life: one may be there and yet do nothing more. */
export interface Heartbeat {
  answered(): void;
  stop(): void;
}

export function startHeartbeat(ask: () => void, onSilence: () => void): Heartbeat {
  let unanswered = 0;
  const timer = setInterval(() => {
    unanswered += 1;
    if (unanswered <= maxUnanswered) return ask();
    clearInterval(timer);
    onSilence();
  }, intervalMs);
  timer.unref();
  return {
    answered: () => {
      unanswered = 0;
    },
    stop: () => clearInterval(timer),
  };
}
