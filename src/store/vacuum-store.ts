import { openEngine } from "./open-store.ts";

/**
 * Gives the system the room back that a database does not need any more. Resolves with its size before and after, in bytes.
 * Throws what opening a database throws, TooLittleRoom, and DiskFull; nothing is lost then.
 */
export async function vacuumStore(url: string): Promise<{ before: number; after: number }> {
  const engine = await openEngine(url, { create: false });
  try {
    return await engine.vacuum();
  } finally {
    await engine.close();
  }
}
