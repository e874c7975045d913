/**
 * The header fields of a page that asks the API with its reader's key: it runs its own scripts alone, speaks to this server alone,
 * and stands in no other page. `allowed` are the directives of Content-Security-Policy that it needs beside.
 */
export function createPageHeaders(allowed: readonly string[]): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    ...allowed,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    "content-security-policy": policy.join("; "),
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
  };
}
