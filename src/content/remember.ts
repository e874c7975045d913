/** The maximum number of cached values, since hostile text can contain millions of links. */
const MAX_KNOWN = 20_000;

/** Returns the cached value of a key, or else creates and caches the value. Clears a full cache. */
export function remember<K, T>(known: Map<K, T>, key: K, create: () => T): T {
  const found = known.get(key);
  if (found !== undefined) return found;
  if (known.size >= MAX_KNOWN) known.clear();
  const created = create();
  known.set(key, created);
  return created;
}
