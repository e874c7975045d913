// Serves lesson files. A browser's `<img>` sends no key, so the URL is the secret.
import type { Logger } from "pino";
import { isAssetDigest, isAssetName } from "../../assets/asset-name.ts";
import { ContentMissing, PIECE_BYTES, type AssetReader, type StoredAsset } from "../../assets/asset-store.ts";
import { createCorsHeaders, type CorsPolicy } from "../request/cors.ts";
import { assetsBusy, clientGone, HttpError, unavailable, unknownPath } from "../request/errors.ts";
import { holdsAny, respondWithoutBody } from "../request/negotiation.ts";
import type { AskedPage } from "../request/request-url.ts";
import { isShownInline, PDF } from "../../assets/media-types.ts";

/** Prevents a file that a browser opens as a page from running scripts and loading other files. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";
/** The policy for all types except PDF, which browsers do not show in a sandbox. */
const SANDBOXED = `sandbox; ${POLICY}`;
const EXPOSED_HEADERS =
  "accept-ranges, content-disposition, content-length, content-range, etag, retry-after, ratelimit, ratelimit-policy, x-request-id";
/** The header fields allowed in requests from other origins, such as PDF viewers' requests for ranges. */
export const ASSET_REQUEST_HEADERS = "x-api-key, if-none-match, if-range, range";

function createAssetHeaders(asset: StoredAsset, request: Request, cors: CorsPolicy): Headers {
  const headers = new Headers({
    ...createCorsHeaders(request, cors),
    "cache-control": "public, max-age=31536000, immutable",
    etag: formatAssetTag(asset),
    "accept-ranges": "bytes",
    "content-type": asset.mediaType,
    "x-content-type-options": "nosniff",
    "content-security-policy": asset.mediaType === PDF ? POLICY : SANDBOXED,
  });
  if (headers.has("access-control-allow-origin")) headers.set("access-control-expose-headers", EXPOSED_HEADERS);
  if (!isShownInline(asset.mediaType)) headers.set("content-disposition", formatAttachment(asset.name));
  return headers;
}

function formatAssetTag({ digest }: StoredAsset): string {
  return `"${digest}"`;
}

/** Formats a file name (RFC 6266 §4.1, RFC 8187): an ASCII form, and the exact name if it differs. */
function formatAttachment(name: string): string {
  const ascii = name.replace(/[^ !#$&'()+,\-.\w=@[\]^`{}~]/gu, "_");
  if (ascii === name) return `attachment; filename="${name}"`;
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

interface ByteRange {
  from: number;
  end: number;
}

/** Parses a range. Returns undefined for the whole content, and "beyond" if the range contains no byte. */
function parseRange(header: string, bytes: number): ByteRange | "beyond" | undefined {
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

const SHARE_BYTES = 2 * PIECE_BYTES;

export interface AssetContext {
  assets: AssetReader;
  pieces: PieceBudget;
  endStalled: (request: Request) => void;
  cors: CorsPolicy;
  logger: Logger;
}

export async function serveAsset({ request, segments }: AskedPage, context: AssetContext): Promise<Response> {
  const [digest = "", name = ""] = segments;
  // An invalid digest or name is never stored, and a database might reject it.
  if (!isAssetDigest(digest) || !isAssetName(name)) throw unknownPath();
  const asset = await context.assets.findAsset(digest, name);
  if (asset === undefined) throw unknownPath();
  const headers = createAssetHeaders(asset, request, context.cors);
  if (holdsAny(request, [formatAssetTag(asset)])) return respondWithoutBody(request, 304, headers);
  const range = findRange(request, asset);
  const { from, end } = range ?? { from: 0, end: asset.bytes };
  headers.set("content-length", String(end - from));
  if (request.method === "HEAD") return respondWithoutBody(request, 200, headers);
  if (range !== undefined) headers.set("content-range", `bytes ${from}-${end - 1}/${asset.bytes}`);
  const status = range === undefined ? 200 : 206;
  if (end - from > PIECE_BYTES) {
    return new Response(await openStream(asset, { from, end }, request, context), { status, headers });
  }
  const read: Uint8Array[] = [];
  let at = from;
  // Reads even an empty file, since its size might be damaged.
  do {
    const piece = await readPiece(asset, at, end, context);
    read.push(piece);
    at += piece.byteLength;
  } while (at < end);
  return new Response(Buffer.concat(read), { status, headers });
}

async function readPiece(
  asset: StoredAsset,
  from: number,
  end: number,
  { assets, logger }: AssetContext,
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await assets.readPiece(asset, from, end);
  } catch (error) {
    if (!(error instanceof ContentMissing)) throw error;
    logger.error({ err: error }, "the content of an asset is missing");
    throw unavailable();
  }
}

/**
 * Opens a stream that reads each piece after the client has taken the previous one. Throws 503 if memory is short, and
 * the errors of reading the first piece.
 */
async function openStream(
  asset: StoredAsset,
  { from, end }: ByteRange,
  request: Request,
  context: AssetContext,
): Promise<ReadableStream<Uint8Array>> {
  const { pieces, endStalled, logger } = context;
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const share = pieces.take(SHARE_BYTES, () => {
    controller?.error();
    // Without this, Bun would wait until the client takes the last piece.
    endStalled(request);
  });
  if (share === undefined) throw assetsBusy();
  let at = from;
  let next: Uint8Array<ArrayBuffer> | undefined;
  try {
    next = await readPiece(asset, at, end, context);
    if (request.signal.aborted) throw clientGone();
  } catch (error) {
    pieces.release(share);
    throw error;
  }
  request.signal.addEventListener("abort", () => pieces.release(share), { once: true });
  const pull = async (): Promise<void> => {
    pieces.noteTaken(share);
    try {
      const piece = next ?? (await readPiece(asset, at, end, context));
      // The client has left, or was cut.
      if (share.bytes === 0) return;
      next = undefined;
      at += piece.byteLength;
      controller?.enqueue(piece);
    } catch (error) {
      pieces.release(share);
      if (!(error instanceof HttpError)) logger.warn({ err: error }, "an asset was not sent completely");
      // This cuts the connection, so the client notices the incomplete answer. Bun would print an error passed here.
      controller?.error();
      return;
    }
    if (at < end) return pieces.noteSent(share);
    controller?.close();
    pieces.release(share);
  };
  const start = (opened: ReadableStreamDefaultController<Uint8Array>): void => void (controller = opened);
  return new ReadableStream<Uint8Array>({ start, pull, cancel: () => pieces.release(share) }, { highWaterMark: 0 });
}

function findRange(request: Request, asset: StoredAsset): ByteRange | undefined {
  const header = request.headers.get("range");
  const ifRange = request.headers.get("if-range");
  // Only GET supports ranges (RFC 9110 §14.2). A date in If-Range never matches: assets have no dates.
  if (header === null || request.method !== "GET") return undefined;
  if (ifRange !== null && ifRange.trim() !== formatAssetTag(asset)) return undefined;
  const range = parseRange(header, asset.bytes);
  if (range !== "beyond") return range;
  throw new HttpError(416, `The file has ${asset.bytes} bytes`, { "content-range": `bytes */${asset.bytes}` });
}

/** A download whose client reads nothing for this long can be cut to serve another download. */
const MIN_STALLED_MS = 5000;

/** The memory of one download; `bytes` is 0 after its release. */
interface PieceShare {
  bytes: number;
  sentAtMs: number;
  cut: () => void;
}

/** When memory for assets runs out, cuts the download that has stalled longest (5 s or more), or refuses the request. */
export class PieceBudget {
  usedBytes = 0;
  cuts = 0;
  readonly #maxBytes: number;
  readonly #now: () => number;
  /** Downloads that wait for their clients, the longest waiting first. */
  readonly #waiting = new Set<PieceShare>();

  constructor(maxBytes: number, now: () => number) {
    this.#maxBytes = maxBytes;
    this.#now = now;
  }

  /**
   * Takes a share. Returns undefined if the budget is used up. Calls `cut` if another download gets the share later.
   */
  take(bytes: number, cut: () => void): PieceShare | undefined {
    if (this.usedBytes + bytes > this.#maxBytes) this.#cutStalled();
    if (this.usedBytes + bytes > this.#maxBytes) return undefined;
    this.usedBytes += bytes;
    return { bytes, sentAtMs: 0, cut };
  }

  noteTaken(share: PieceShare): void {
    this.#waiting.delete(share);
  }

  noteSent(share: PieceShare): void {
    share.sentAtMs = this.#now();
    if (share.bytes > 0) this.#waiting.add(share);
  }

  release(share: PieceShare): void {
    this.#waiting.delete(share);
    this.usedBytes -= share.bytes;
    share.bytes = 0;
  }

  #cutStalled(): void {
    const [longest] = this.#waiting;
    if (longest === undefined || this.#now() - longest.sentAtMs < MIN_STALLED_MS) return;
    this.release(longest);
    this.cuts++;
    longest.cut();
  }
}
