const MAX_COMPARED = 64;

/** Returns the most similar known name; undefined if none is close. */
export function findNearestName(name: string, names: Iterable<string>): string | undefined {
  if (name.length > MAX_COMPARED) return undefined;
  const written = toCompared(name);
  // Short names are often similar by chance, so only one difference is allowed.
  const most = written.length < 5 ? 1 : 2;
  let nearest: { name: string; distance: number } | undefined;
  for (const candidate of names) {
    const compared = toCompared(candidate);
    if (Math.abs(compared.length - written.length) > most) continue;
    const distance = measureDistance(written, compared);
    if (distance <= most && distance < (nearest?.distance ?? written.length - 1))
      nearest = { name: candidate, distance };
  }
  return nearest?.name;
}

// Treats created_at and createdAt as equal.
function toCompared(name: string): string {
  return name.toLowerCase().replace(/[-_ ]/g, "");
}

function measureDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const isSame = from[i - 1] === to[j - 1];
      const isSwapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (beforeLast[j - 2] ?? 0) + 1 : Infinity,
      );
    }
    beforeLast = last;
    last = row;
  }
  return last[to.length] ?? 0;
}
