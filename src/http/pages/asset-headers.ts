import type { StoredAsset } from "../../assets/asset-store.ts";
import { isShownInline, PDF } from "../../assets/media-types.ts";
import type { CorsPolicy } from "../request/cors.ts";

/** No script runs and nothing is loaded, should a browser show the content as a page of its own. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";
/** Browsers show no PDF in a sandbox. */
const SANDBOXED = `sandbox; ${POLICY}`;
const EXPOSED_HEADERS = "accept-ranges, content-disposition, content-length, content-range, etag, retry-after";
/** What a page of another origin may send: readers of PDF ask for ranges. */
export const ASSET_REQUEST_HEADERS = "x-api-key, if-none-match, if-range, range";

export function createAssetHeaders(asset: StoredAsset, request: Request, cors: CorsPolicy): Headers {
  const headers = new Headers({
    ...cors.sharedHeaders,
    ...cors.headersFor(request),
    "cache-control": "public, max-age=31536000, immutable",
    etag: formatAssetTag(asset),
    "accept-ranges": "bytes",
    "content-type": asset.mediaType,
    "x-content-type-options": "nosniff",
    "content-security-policy": asset.mediaType === PDF ? POLICY : SANDBOXED,
  });
  if (cors.variesByOrigin) headers.set("vary", "Origin");
  if (headers.has("access-control-allow-origin")) headers.set("access-control-expose-headers", EXPOSED_HEADERS);
  if (!isShownInline(asset.mediaType)) headers.set("content-disposition", formatAttachment(asset.name));
  return headers;
}

export function formatAssetTag({ digest }: StoredAsset): string {
  return `"${digest}"`;
}

/** RFC 6266 §4.1, RFC 8187: in ASCII, and as it is where that differs. */
export function formatAttachment(name: string): string {
  const ascii = name.replace(/[^ !#$&'()+,\-.\w=@[\]^`{}~]/gu, "_");
  if (ascii === name) return `attachment; filename="${name}"`;
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

export interface ByteRange {
  from: number;
  end: number;
}

/** Undefined for the whole content; "beyond" when no byte of it is in the range. */
export function parseRange(header: string, bytes: number): ByteRange | "beyond" | undefined {
  const [, first, last] = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i.exec(header) ?? [];
  if (first === undefined || last === undefined || (first === "" && last === "")) return undefined;
  if (first === "") {
    const length = Math.min(Number(last), bytes);
    return length === 0 ? "beyond" : { from: bytes - length, end: bytes };
  }
  const from = Number(first);
  if (last !== "" && Number(last) < from) return undefined;
  if (from >= bytes) return "beyond";
  return { from, end: last === "" ? bytes : Math.min(Number(last) + 1, bytes) };
}
