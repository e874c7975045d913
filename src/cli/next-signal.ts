/** Resolves with the first of these signals that the process gets from now on. The next one, of any, ends it at once. */
export async function nextSignal(names: readonly NodeJS.Signals[]): Promise<string> {
  return new Promise((resolve) => {
    const end = (signal: string): void => {
      for (const name of names) process.off(name, end);
      resolve(signal);
    };
    for (const name of names) process.on(name, end);
  });
}
