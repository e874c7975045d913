/** Parses a URL. Returns undefined unless it is absolute http(s) or begins with `//`. */
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
