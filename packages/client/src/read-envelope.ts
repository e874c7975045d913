/**
 * Undefined for what is no envelope: what stands before the service may answer with a page. Only one that says `"success":true`
 * has data, whatever its status.
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
