/** Undefined for what is none: only the service itself answers with an envelope, what stands before it may send a page. */
export function readEnvelope(body: string): { data: unknown; message: string } | undefined {
  try {
    const envelope = JSON.parse(body) as { data?: unknown; message?: unknown } | null;
    return typeof envelope?.message === "string" ? { data: envelope.data, message: envelope.message } : undefined;
  } catch {
    return undefined;
  }
}
