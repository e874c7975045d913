export class TookTooLong extends Error {}

export async function withinTime<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: Timer | undefined;
  const timedOut = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TookTooLong(`there was no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  return Promise.race([work, timedOut]).finally(() => clearTimeout(timer));
}
