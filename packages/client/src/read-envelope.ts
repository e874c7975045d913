/**
 * Parses an envelope. Returns undefined for other bodies, such as a proxy's error page. `data` is undefined unless
 * `success` is true, whatever the status.
 */
export function readEnvelope(body: string): { data: unknown; message: string } | undefined {
  try {
    const envelope = JSON.parse(body) as { data?: unknown; success?: unknown; message?: unknown } | null;
    if (typeof envelope?.message !== "string") return undefined;
    return { data: envelope.success === true ? envelope.data : undefined, message: envelope.message };
  } catch {
    return undefined;
  }
}
