import type { Encoding } from "../request/encoding.ts";
import type { Counted } from "./request-counts.ts";

/** The largest chunk; a record lies in one chunk. A chunk that is not needed yet takes no memory. */
const MAX_CHUNK_BYTES = 64 * 1024 * 1024;
/** The most used bodies that one addition moves. Further ones are dropped, so that no addition takes long. */
const MAX_MOVED = 8;

/** Of a small body. */
export type Codings = Partial<Record<Encoding, Uint8Array<ArrayBuffer>>>;

/** A body in the ring, which counts the requests for it. */
export interface PackedBody extends Counted {
  readonly digest: string;
  /** Set when the body is read. It is then moved, once, when its place is needed. */
  wasUsed: boolean;
  /** The place of one of its codings, which leads to the others. Undefined once it was dropped. */
  record: PackedRecord | undefined;
}

interface Place {
  chunk: number;
  offset: number;
}

interface PackedRecord extends Place {
  length: number;
  body: PackedBody;
  encoding: Encoding;
  /** The next newer one in the ring. */
  next: PackedRecord | undefined;
  /** That of another coding of the body. */
  other: PackedRecord | undefined;
}

/** Who keeps bodies here. */
export interface BodiesOwner {
  /** True for a body that is worth to be moved when its place is needed. */
  isWanted(body: PackedBody): boolean;
  /** Called with each body that is dropped to make room. */
  onDrop(body: PackedBody): void;
}

function isLive(record: PackedRecord): boolean {
  let each = record.body.record;
  while (each !== undefined && each !== record) each = each.other;
  return each !== undefined;
}

/**
 * The bytes of bodies by digest, in a ring of plain memory, so that thousands of bodies are one object to the garbage
 * collector. New bodies take the place of the oldest ones; those that were used meanwhile are moved to the front first
 * (second chance).
 */
export class PackedBodies {
  readonly #maxChunks: number;
  readonly #chunkBytes: number;
  readonly #chunks: Uint8Array<ArrayBuffer>[] = [];
  readonly #bodies = new Map<string, PackedBody>();
  readonly #owner: BodiesOwner;
  /** Where the next record begins. */
  #chunk = 0;
  #offset = 0;
  #oldest: PackedRecord | undefined;
  #newest: PackedRecord | undefined;
  #moved: { body: PackedBody; codings: Codings }[] = [];
  #bytes = 0;

  constructor(maxBytes: number, owner: BodiesOwner) {
    this.#maxChunks = Math.max(1, Math.ceil(maxBytes / MAX_CHUNK_BYTES));
    this.#chunkBytes = Math.floor(maxBytes / this.#maxChunks);
    this.#owner = owner;
  }

  /** The size of all bodies together. */
  get bytes(): number {
    return this.#bytes;
  }

  find(digest: string): PackedBody | undefined {
    return this.#bodies.get(digest);
  }

  /** True when this many bytes can be added without dropping a body. */
  hasRoom(bytes: number): boolean {
    const oldest = this.#oldest;
    if (oldest === undefined) return bytes <= this.#chunkBytes;
    const fits = this.#offset + bytes <= this.#chunkBytes;
    if (!fits) return oldest.chunk === 0 ? this.#chunk + 1 < this.#maxChunks : false;
    return oldest.chunk !== this.#chunk || oldest.offset < this.#offset || oldest.offset >= this.#offset + bytes;
  }

  /** The body whose place is needed next; undefined while there is none. */
  findOldest(): PackedBody | undefined {
    // Of one that was dropped or moved only its place is left.
    while (this.#oldest !== undefined && !isLive(this.#oldest)) this.#oldest = this.#oldest.next;
    if (this.#oldest === undefined) this.#newest = undefined;
    return this.#oldest?.body;
  }

  /** Moves a body to where the next one would come. It may be dropped for that, and so may the oldest ones. */
  move(body: PackedBody): void {
    const codings = this.read(body);
    this.#forget(body);
    this.#write(body, codings);
    this.#writeMoved();
  }

  /** Adds a body that is not in the ring yet. Undefined when it is too large, or its own place was needed meanwhile. */
  add(digest: string, codings: Codings, requests: Readonly<Counted>): PackedBody | undefined {
    const bytes = Object.values(codings).reduce((sum, content) => sum + content.byteLength, 0);
    if (bytes > this.#chunkBytes) return undefined;
    const body: PackedBody = { digest, wasUsed: false, record: undefined, ...requests };
    this.#bodies.set(digest, body);
    this.#write(body, codings);
    this.#writeMoved();
    return this.#bodies.get(digest) === body ? body : undefined;
  }

  /** Adds codings to a body. The body itself may be dropped to make room for them. */
  addCodings(body: PackedBody, codings: Codings): void {
    this.#write(body, codings);
    this.#writeMoved();
  }

  /** True for a body whose bytes in a coding are here. */
  has({ record }: PackedBody, encoding: Encoding): boolean {
    let each = record;
    while (each !== undefined && each.encoding !== encoding) each = each.other;
    return each !== undefined;
  }

  /** Copies all codings of a body, since its place may be overwritten at any time. */
  read(body: PackedBody): Codings {
    const codings: Codings = {};
    for (let { record } = body; record !== undefined; record = record.other) {
      const { encoding, chunk, offset, length } = record;
      codings[encoding] = this.#chunks[chunk]?.slice(offset, offset + length) ?? new Uint8Array();
    }
    return codings;
  }

  #write(body: PackedBody, codings: Codings): void {
    for (const [encoding, content] of Object.entries(codings) as [Encoding, Uint8Array][]) {
      const length = content.byteLength;
      const { chunk, offset } = this.#claim(length);
      (this.#chunks[chunk] ??= new Uint8Array(this.#chunkBytes)).set(content, offset);
      const record = { chunk, offset, length, body, encoding, next: undefined, other: body.record };
      if (this.#newest === undefined) this.#oldest = record;
      else this.#newest.next = record;
      this.#newest = record;
      body.record = record;
      this.#bytes += length;
    }
    // Making room for one coding may have dropped the body with another.
    if (this.#bodies.get(body.digest) !== body) this.#forget(body);
  }

  #writeMoved(): void {
    const moved = this.#moved;
    this.#moved = [];
    for (const { body, codings } of moved) {
      if (this.#bodies.get(body.digest) === body) this.#write(body, codings);
    }
    // Bodies that were displaced by the moved ones are dropped.
    for (const { body } of this.#moved) this.#drop(body);
    this.#moved = [];
  }

  #claim(length: number): { chunk: number; offset: number } {
    if (this.#offset + length > this.#chunkBytes) {
      this.#free(this.#chunkBytes);
      this.#chunk = (this.#chunk + 1) % this.#maxChunks;
      this.#offset = 0;
    }
    const place = { chunk: this.#chunk, offset: this.#offset };
    this.#offset += length;
    this.#free(this.#offset, place.offset);
    return place;
  }

  /** Removes the oldest records that lie before `end` in the chunk that is being written. */
  #free(end: number, start = this.#offset): void {
    for (let record = this.#oldest; record !== undefined; record = this.#oldest) {
      if (record.chunk !== this.#chunk || record.offset < start || record.offset >= end) return;
      this.#oldest = record.next;
      if (record.next === undefined) this.#newest = undefined;
      const { body } = record;
      // The body may have been dropped or moved before.
      if (!isLive(record)) continue;
      if (body.wasUsed && this.#moved.length < MAX_MOVED && this.#owner.isWanted(body)) {
        body.wasUsed = false;
        this.#moved.push({ body, codings: this.read(body) });
        this.#forget(body);
      } else {
        this.#drop(body);
      }
    }
  }

  #drop(body: PackedBody): void {
    this.#forget(body);
    this.#bodies.delete(body.digest);
    this.#owner.onDrop(body);
  }

  #forget(body: PackedBody): void {
    for (let { record } = body; record !== undefined; record = record.other) this.#bytes -= record.length;
    body.record = undefined;
  }
}
