/** Signals within this time count as one: a terminal sends Ctrl-C to all processes, and a parent can forward it. */
const ECHO_MS = 300;
const OF_TERMINALS: NodeJS.Signals[] = ["SIGINT", "SIGHUP"];

/** Resolves with the first of these signals. A second signal ends the process. */
export async function nextSignal(names: readonly NodeJS.Signals[]): Promise<string> {
  return new Promise((resolve) => {
    const end = (signal: NodeJS.Signals): void => {
      if (OF_TERMINALS.includes(signal)) {
        process.on(signal, ignore);
        setTimeout(() => process.off(signal, ignore), ECHO_MS).unref();
      }
      for (const name of names) process.off(name, end);
      resolve(signal);
    };
    for (const name of names) process.on(name, end);
  });
}

function ignore(): void {}
