// The form of documents in the database: the whole body of the answer, compressed. Short documents are text, and so are all
// documents that earlier versions have stored. The only place that knows both forms.

/** Smaller bodies fit in a packet or two anyway. */
export const MIN_COMPRESSED_BYTES = 1024;
/** The envelope of a success, around its `data`. */
export const ENVELOPE_START = '{"data":';
export const ENVELOPE_END = ',"success":true,"message":"","code":200}';
/** The levels above take half as much time again and save one byte in a hundred. */
const LEVEL = 6;
const LIST_END = "]}";

export type Bytes = Uint8Array<ArrayBuffer>;

/** A document as the database has it. */
export interface StoredDocument {
  /** Changes exactly when the content does. */
  digest: string;
  /** JSON text, or the body of an answer in gzip. */
  content: string | Bytes;
}

/** The columns of a document. Either `text` or `body` is null. */
export interface DocumentColumns {
  digest: string;
  text: string | null;
  body: Bytes | null;
}

/** What compiling makes of the `data` of an answer. */
export interface EncodedData {
  /** Of the data. */
  digest: string;
  /** The whole body, compressed; undefined where it is too small for that. */
  body: Bytes | undefined;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** Digests and compresses the `data` of an answer, which is nearly all the work that a document takes. */
export function encodeData(data: string): EncodedData {
  return encodeNewData(data, () => undefined);
}

/** Does what `encodeData` does, where `findBody` may give what was compressed before of data with the same digest. */
export function encodeNewData(data: string, findBody: (digest: string) => EncodedData["body"]): EncodedData {
  const content = encoder.encode(ENVELOPE_START + data + ENVELOPE_END);
  const digest = digestText(content.subarray(ENVELOPE_START.length, -ENVELOPE_END.length));
  if (content.byteLength < MIN_COMPRESSED_BYTES) return { digest, body: undefined };
  return { digest, body: findBody(digest) ?? pack(content) };
}

/** The columns of a document, from its JSON text and what `encodeData` makes of that. */
export function toDocumentColumns(text: string, { digest, body }: EncodedData): DocumentColumns {
  return body === undefined ? { digest, text, body: null } : { digest, text: null, body };
}

/** The `data` of a list of lessons, from a JSON array with `total` elements. */
export function renderLessonList(text: string, total: number): string {
  return startList(total) + text.slice(1, -1) + LIST_END;
}

/**
 * The columns of a list of lessons, from its JSON array and what `encodeData` makes of the list. As a body it has the digest of
 * the list, from which the ETag of the answer is made; as text that of the array.
 */
export function toLessonListColumns(text: string, { digest, body }: EncodedData): DocumentColumns {
  return body === undefined ? { digest: digestText(text), text, body: null } : { digest, text: null, body };
}

/** Encodes a document that is stored as text. It keeps its digest. */
export function encodeDocument(text: string, digest: string): DocumentColumns {
  return toDocumentColumns(text, { digest, body: encodeData(text).body });
}

/** Encodes a list of lessons, with `total` elements, that is stored as the text of an array. As text it keeps its digest. */
export function encodeLessonList(text: string, digest: string, total: number): DocumentColumns {
  const encoded = encodeData(renderLessonList(text, total));
  return encoded.body === undefined ? { digest, text, body: null } : toLessonListColumns(text, encoded);
}

/** The document in these columns. Throws when both are null. */
export function toStoredDocument({ digest, text, body }: DocumentColumns): StoredDocument {
  const content = body ?? text;
  if (content === null) throw new Error(`document ${digest} has neither text nor body`);
  return { digest, content };
}

/** How much of a row they are: in bytes, or, for text, in characters, which is close. */
export function measureColumns({ text, body }: DocumentColumns): number {
  return body?.byteLength ?? text?.length ?? 0;
}

/** The JSON text of a course or a lesson. */
export function decodeDocument({ content }: StoredDocument): string {
  if (typeof content === "string") return content;
  return decoder.decode(unpack(content)).slice(ENVELOPE_START.length, -ENVELOPE_END.length);
}

/** The JSON array of a list of lessons. */
export function decodeLessonList({ content }: StoredDocument): string {
  if (typeof content === "string") return content;
  const body = decoder.decode(unpack(content));
  const start = body.indexOf("[");
  return body.slice(start, 1 - LIST_END.length - ENVELOPE_END.length);
}

/** The beginning of the `data` of a list, before its elements. */
export function startList(total: number): string {
  return `{"total":${total},"results":[`;
}

/** Compresses a body with gzip, to the same bytes on every machine; those of zlib name the system. Takes 10 µs per KiB. */
export function pack(content: Bytes, level: 1 | 6 = LEVEL): Bytes {
  return Bun.gzipSync(content, { level, library: "libdeflate" });
}

/** Decompresses what `pack` has made. Throws when it is damaged. */
export function unpack(packed: Bytes): Bytes {
  return Bun.gunzipSync(packed, { library: "libdeflate" });
}

/** The number of bytes that `unpack` returns, which is in the last four bytes of gzip (RFC 1952 §2.3.1). */
export function measureUnpacked(packed: Bytes): number {
  let bytes = 0;
  // Not a DataView: for a small array Bun has no buffer until one is asked for.
  for (let end = 1; end <= 4; end++) bytes = bytes * 256 + (packed[packed.byteLength - end] ?? 0);
  return bytes;
}

/** The first 32 hex digits of SHA-256. */
export function digestText(text: string | Bytes): string {
  return Bun.SHA256.hash(text, "hex").slice(0, 32);
}
