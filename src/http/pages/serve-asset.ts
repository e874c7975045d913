// Files that lessons show and link to. A browser's `<img>` sends no key: whoever knows the address has the file.
import type { Logger } from "pino";
import { isAssetDigest, isAssetName } from "../../assets/asset-name.ts";
import { ContentMissing, PIECE_BYTES, type AssetReader, type StoredAsset } from "../../assets/asset-store.ts";
import type { CorsPolicy } from "../request/cors.ts";
import { clientGone, HttpError, unavailable, unknownPath } from "../request/errors.ts";
import { holdsAny, respondWithoutBody } from "../request/negotiation.ts";
import type { AskedPage } from "../request/route.ts";
import { createAssetHeaders, formatAssetTag, parseRange, type ByteRange } from "./asset-headers.ts";
import type { PieceBudget, PieceShare } from "./piece-budget.ts";

/** A piece that is being sent, and the next one. */
const SHARE_BYTES = 2 * PIECE_BYTES;

/** What answering needs. */
export interface AssetContext {
  assets: AssetReader;
  pieces: PieceBudget;
  /** Ends the connection of a request whose client takes nothing; within seconds. */
  endStalled: (request: Request) => void;
  cors: CorsPolicy;
  logger: Logger;
}

/** Answers a request for an asset. Throws HttpError, and what the store throws. */
export async function serveAsset({ request, segments }: AskedPage, context: AssetContext): Promise<Response> {
  const [digest = "", name = ""] = segments;
  // No other can be stored; and a database may refuse to look for them.
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
  const source = new PieceSource(asset, { from, end }, context);
  if (end - from <= PIECE_BYTES) return new Response(await source.readAll(), { status, headers });
  return new Response(await openStream(source, request, context), { status, headers });
}

/** Throws 503 where there is no room for it, and what the store says at first, which can still become an error answer. */
async function openStream(
  source: PieceSource,
  request: Request,
  { pieces, endStalled, logger }: AssetContext,
): Promise<ReadableStream<Uint8Array>> {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const share = pieces.take(SHARE_BYTES, () => {
    controller?.error();
    // Bun sees the end of a stream only when the client takes what was sent before.
    endStalled(request);
  });
  if (share === undefined) throw assetsBusy();
  try {
    await source.prepare();
    if (request.signal.aborted) throw clientGone();
  } catch (error) {
    share.release();
    throw error;
  }
  request.signal.addEventListener("abort", () => share.release(), { once: true });
  return streamPieces(source, share, logger, (opened) => (controller = opened));
}

const assetsBusy = (): HttpError =>
  new HttpError(503, "Too many files are being sent; try again", { "retry-after": "1" });

/** Undefined where the whole is asked for. Throws 416. */
function findRange(request: Request, asset: StoredAsset): ByteRange | undefined {
  const header = request.headers.get("range");
  const ifRange = request.headers.get("if-range");
  // Only GET knows ranges (RFC 9110 §14.2). A date never matches: there is none to compare with.
  if (header === null || request.method !== "GET") return undefined;
  if (ifRange !== null && ifRange.trim() !== formatAssetTag(asset)) return undefined;
  const range = parseRange(header, asset.bytes);
  if (range !== "beyond") return range;
  throw new HttpError(416, `The file has ${asset.bytes} bytes`, { "content-range": `bytes */${asset.bytes}` });
}

/** The bytes of a range, one piece after the other. */
class PieceSource {
  readonly #asset: StoredAsset;
  readonly #context: AssetContext;
  readonly #end: number;
  #from: number;
  #prepared: Uint8Array<ArrayBuffer> | undefined;

  constructor(asset: StoredAsset, { from, end }: ByteRange, context: AssetContext) {
    this.#asset = asset;
    this.#context = context;
    this.#from = from;
    this.#end = end;
  }

  get isAtEnd(): boolean {
    return this.#prepared === undefined && this.#from >= this.#end;
  }

  /** Reads a piece ahead. Throws 503 when the content is not there, which is logged, and what the store throws. */
  async prepare(): Promise<void> {
    this.#prepared = await this.next();
  }

  async next(): Promise<Uint8Array<ArrayBuffer>> {
    const prepared = this.#prepared;
    this.#prepared = undefined;
    if (prepared !== undefined) return prepared;
    try {
      const piece = await this.#context.assets.readPiece(this.#asset, this.#from, this.#end);
      this.#from += piece.byteLength;
      return piece;
    } catch (error) {
      if (!(error instanceof ContentMissing)) throw error;
      this.#context.logger.error({ err: error }, "the content of an asset is not there");
      throw unavailable();
    }
  }

  async readAll(): Promise<Uint8Array<ArrayBuffer>> {
    const pieces: Uint8Array[] = [];
    while (!this.isAtEnd) pieces.push(await this.next());
    return Buffer.concat(pieces);
  }
}

/** Reads a piece when the client has taken the one before. Its share is free when it ends, in whatever way. */
function streamPieces(
  source: PieceSource,
  share: PieceShare,
  logger: Logger,
  start: (controller: ReadableStreamDefaultController<Uint8Array>) => void,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      start,
      async pull(controller) {
        share.noteTaken();
        try {
          controller.enqueue(await source.next());
        } catch (error) {
          share.release();
          if (!(error instanceof HttpError)) logger.warn({ err: error }, "an asset was not sent to its end");
          // Cuts the answer off, by which the client sees that it is not whole. Bun prints what it is given.
          controller.error();
          return;
        }
        if (!source.isAtEnd) return share.noteSent();
        controller.close();
        share.release();
      },
      cancel: () => share.release(),
    },
    { highWaterMark: 0 },
  );
}
