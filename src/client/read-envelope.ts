/**
 * Undefined for what is none: only the service itself answers with an envelope, what stands before it may send a page. One that
 * says that the request failed has no data, whatever its status.
 */
export function readEnvelope(body: string): { data: unknown; message: string } | undefined {
  try {
    const envelope = JSON.parse(body) as { data?: unknown; success?: unknown; message?: unknown } | null;
    if (typeof envelope?.message !== "string") return undefined;
    return { data: envelope.success === false ? undefined : envelope.data, message: envelope.message };
  } catch {
    return undefined;
  }
}
