// Sends requests to an untrusted service within limits on memory and time.
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { CatalogError } from "../../../packages/client/src/catalog-client.ts";
import { formatSize, UnreadableText, type ServiceLimits, type SourceLimits } from "../limits.ts";
import { checkJsonSize } from "../resolve/json-text.ts";

const unpack = promisify(gunzip);
/**
 * The maximum number of attempts: one retry after a time-out, in case the connection was silently dropped. More retries
 * would take too long.
 */
const TRIES = 2;
/** Servers rarely accept more. Links of pages stay in memory until the end of a list. */
const MAX_HEADER_CHARACTERS = 16_384;
/** Statuses without a body (Fetch standard, "null body status"). */
const WITHOUT_BODY = [204, 205, 304];

/**
 * Creates a `fetch` with limits for a catalog client. Over a limit, the function throws a CatalogError, after which the
 * client does not retry. `ended` aborts all requests. `onRelease` receives the release that an answer names, if any.
 */
export function createLimitedFetch(
  limits: SourceLimits,
  { maxBytes, timeoutMs }: ServiceLimits,
  ended: AbortSignal,
  onRelease: (release: string | undefined, path: string) => void,
): (url: string, init: RequestInit) => Promise<Response> {
  let totalBytes = 0;

  const send = async (url: string, init: RequestInit, timeout: AbortSignal): Promise<Response> => {
    const where = new URL(url).pathname;
    // A lesson's answer has a lower limit than a course's, since several lessons are requested at once.
    const isLesson = /\/lessons\/[^/]*$/.test(where);
    const maxAnswerBytes = isLesson ? Math.min(2 * limits.maxLessonBytes, limits.maxLineBytes) : limits.maxLineBytes;
    const flag = isLesson ? "--max-lesson-size" : "--max-line-size";
    const refuseSize = (): never => {
      throw new CatalogError(0, `${where} exceeds ${formatSize(maxAnswerBytes)} when unpacked (${flag})`);
    };
    const signal = AbortSignal.any([ended, timeout]);
    const headers = { ...(init.headers as Record<string, string>), "accept-encoding": "gzip" };
    // The answer is decompressed below, since Bun's own decompression has no limit.
    const response = await fetch(url, { ...init, headers, signal, decompress: false });
    if ([...response.headers].join().length > MAX_HEADER_CHARACTERS) {
      throw new CatalogError(0, `${where} has more than 16 KiB of headers`);
    }
    const packed = await readBytes(response.body, maxAnswerBytes, refuseSize);
    const body = await decode(response.headers.get("content-encoding"), packed, maxAnswerBytes, refuseSize);
    totalBytes += body.byteLength;
    if (totalBytes > maxBytes) {
      throw new CatalogError(0, `its answers together exceed ${formatSize(maxBytes)} (--max-service-size)`);
    }
    const text = toText(body, where);
    checkSize(text, where, limits);
    const release = response.headers.get("catalog-release") ?? undefined;
    // Some proxies remove the release from a 304.
    if (response.ok || (response.status === 304 && release !== undefined)) onRelease(release, where);
    return new Response(WITHOUT_BODY.includes(response.status) ? null : text, {
      status: response.status,
      headers: withoutCoding(response.headers),
    });
  };

  return async (url, init) => {
    for (let attempt = 1; ; attempt++) {
      const timeout = AbortSignal.timeout(timeoutMs);
      try {
        return await send(url, init, timeout);
      } catch (error) {
        if (ended.aborted) throw ended.reason;
        const path = new URL(url).pathname;
        if (!timeout.aborted) throw error instanceof CatalogError ? error : nameFault(path, error);
        if (attempt < TRIES) continue;
        throw new CatalogError(0, `${path} was not answered within ${timeoutMs / 1000} s (--service-timeout)`, {
          cause: error,
        });
      }
    }
  };
}

/** Adds the path to a network error, and removes Bun's advice. The client retries the request. */
function nameFault(path: string, error: unknown): Error {
  const [reason = ""] = (error as Error).message.split(" For more information");
  return new Error(`${path}: ${reason}`, { cause: error });
}

async function readBytes(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  refuse: () => never,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.byteLength;
    if (bytes > maxBytes) refuse();
    parts.push(part);
  }
  return Buffer.concat(parts);
}

async function decode(
  coding: string | null,
  packed: Uint8Array,
  maxBytes: number,
  refuse: () => never,
): Promise<Uint8Array> {
  if (packed.byteLength === 0 || coding === null || /^(identity)?$/i.test(coding.trim())) return packed;
  if (!/^(x-)?gzip$/i.test(coding.trim())) {
    throw new CatalogError(0, `it answers with the content coding "${coding.slice(0, 40)}", which was not requested`);
  }
  try {
    return await unpack(packed, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") refuse();
    throw new CatalogError(0, `its answer is not valid gzip: ${(error as Error).message}`, { cause: error });
  }
}

function toText(body: Uint8Array, where: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch (error) {
    throw new CatalogError(0, `the answer for ${where} is not valid UTF-8`, { cause: error });
  }
}

function checkSize(text: string, where: string, limits: SourceLimits): void {
  try {
    checkJsonSize(text, limits);
  } catch (error) {
    if (error instanceof UnreadableText) throw new CatalogError(0, `${where}: ${error.message}`, { cause: error });
    throw error;
  }
}

function withoutCoding(headers: Headers): Headers {
  const kept = new Headers(headers);
  for (const name of ["content-encoding", "content-length", "transfer-encoding"]) kept.delete(name);
  return kept;
}
