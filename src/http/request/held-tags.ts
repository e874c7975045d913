// What a client says that it holds (RFC 9110 §13.1.2): a list of tags or `*`, compared weakly, so that `W/` makes no difference.

/** The tags that If-None-Match lists, with their quotes. They may hold commas, so the list cannot be split at them. */
export function listHeldTags(ifNoneMatch: string): string[] {
  return ifNoneMatch.match(/"[^"]*"/g) ?? [];
}

/** Whether the client holds an answer with one of these tags. */
export function holdsAny(request: Request, tags: readonly string[]): boolean {
  const ifNoneMatch = request.headers.get("if-none-match");
  if (ifNoneMatch === null) return false;
  return ifNoneMatch.trim() === "*" || listHeldTags(ifNoneMatch).some((tag) => tags.includes(tag));
}
