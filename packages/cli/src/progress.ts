/** One line on a terminal that tells how far it is. Nothing where nobody looks. */
export interface Progress {
  show(text: string): void;
  clear(): void;
}

export function createProgress(stderr: NodeJS.WriteStream): Progress {
  let shown = false;
  const clear = () => {
    if (shown) stderr.write("\r\u001b[K");
    shown = false;
  };
  return {
    show(text) {
      if (!stderr.isTTY) return;
      clear();
      stderr.write(text);
      shown = true;
    },
    clear,
  };
}
