/**
 * Prints the address of a server as a line of JSON, and for each line of input the processor time of the process, in
 * microseconds.
 */
export function reportCpu(url) {
  const write = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
  write({ url });
  process.stdin.on("end", () => process.exit());
  process.stdin.on("data", () => {
    const { user, system } = process.cpuUsage();
    write({ cpuUs: user + system });
  });
}
