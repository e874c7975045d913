/** Work took longer than its time-out. It may still be running. */
export class TookTooLong extends Error {}

/** The result of work. Throws TookTooLong after `timeoutMs`. */
export async function withinTime<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: Timer | undefined;
  const timedOut = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TookTooLong(`there was no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  return Promise.race([work, timedOut]).finally(() => clearTimeout(timer));
}
