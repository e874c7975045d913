/** The most entries of a cache: hostile text may have millions of links. */
const MAX_KNOWN = 100_000;

/** Returns a key's value; creates and caches a missing one. Clears a full cache. */
export function remember<T>(known: Map<string, T>, key: string, create: () => T): T {
  const found = known.get(key);
  if (found !== undefined) return found;
  if (known.size >= MAX_KNOWN) known.clear();
  const created = create();
  known.set(key, created);
  return created;
}
