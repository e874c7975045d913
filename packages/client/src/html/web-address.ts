/** Parses a URL. Returns undefined unless the URL begins with `http:`, `https:` or `//`. */
export function parseWebAddress(address: string): URL | undefined {
  const text = address.trim();
  try {
    const url = new URL(text.startsWith("//") ? `https:${text}` : text);
    return /^https?:$/.test(url.protocol) ? url : undefined;
  } catch {
    return undefined;
  }
}

export function withQuery(address: string, query: URLSearchParams): string {
  return query.size === 0 ? address : `${address}?${query}`;
}
