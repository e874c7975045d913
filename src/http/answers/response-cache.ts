import { digestText, type Bytes } from "../../catalog/body.ts";
import { Answer, AnswerBody } from "./answer.ts";
import type { LargeAnswers } from "./large-answers.ts";
import type { ContentRequest } from "../operations/operation.ts";

/** No record spans two slabs. Small caches use smaller slabs, which still have room for an answer of 64 KiB. */
const SLAB_BYTES = 1024 * 1024;
const SMALL_SLAB_BYTES = 128 * 1024;
const MAX_SMALL_BYTES = 16 * 1024 * 1024;
/** The share of memory for keys, and the estimated bytes per key. */
const KEYS_SHARE = 1 / 6;
const KEY_BYTES = 130;
/** Longer keys, which queries can produce, are replaced by their digests. */
const MAX_KEY_CHARACTERS = 200;
/** Limits the answers that are also cached as objects, ready to send: garbage collections visit every object. */
const MAX_READY = 2000;
const READY_SHARE = 1 / 4;
/** Answers found in this oldest part of the slabs are written again, which saves them from eviction. */
const OLDEST_SHARE = 1 / 4;

/** Marks the keys of contents, which several answers can share. The keys of answers start with a number. */
const CONTENT_MARK = "=";

/** A record starts with the lengths of its body and its link, and the digest of its content. */
const DIGEST_CHARACTERS = 32;
const HEAD_BYTES = 8 + DIGEST_CHARACTERS;

type Keyed = Pick<ContentRequest, "release" | "caller">;

/**
 * Caches answers. Releases never change, so a publication evicts nothing; `clear` is for a replaced store. Small
 * answers are stored as bytes in slabs: as objects, they would slow garbage collection.
 */
export class ResponseCache {
  readonly large: LargeAnswers;
  evictions = 0;
  readonly #slabBytes: number;
  readonly #maxSlabs: number;
  readonly #maxKeys: number;
  readonly #slabs: Buffer[] = [];
  /** The position of the next record. Positions count from the first byte ever written; slabs are reused in turn. */
  #end = 0;
  /** Maps the keys of answers and contents to the positions of their records, oldest first. */
  readonly #places = new Map<string, number>();
  /** This iterator is reused, because a new one would have to skip all deleted entries again. */
  #byAge = this.#places.entries();
  #oldest: [key: string, place: number] | undefined;
  readonly #ready = new Map<string, { answer: Answer; bytes: number; wasUsed: boolean }>();
  #readyBytes = 0;
  readonly #maxReadyBytes: number;

  /** If `maxBytes` is 0, caches only large answers, which have their own budget. */
  constructor(maxBytes: number, large: LargeAnswers) {
    this.large = large;
    this.#slabBytes = maxBytes <= MAX_SMALL_BYTES ? SMALL_SLAB_BYTES : SLAB_BYTES;
    this.#maxReadyBytes = maxBytes * READY_SHARE;
    this.#maxKeys = Math.floor((maxBytes * KEYS_SHARE) / KEY_BYTES);
    this.#maxSlabs = Math.floor((maxBytes * (1 - KEYS_SHARE - READY_SHARE)) / this.#slabBytes);
  }

  get bytes(): number {
    return this.#slabs.length * this.#slabBytes + this.#places.size * KEY_BYTES + this.#readyBytes;
  }

  get entries(): number {
    let entries = 0;
    for (const key of this.#places.keys()) if (!key.startsWith(CONTENT_MARK)) entries++;
    return entries;
  }

  find(longKey: string, { release, caller }: Keyed, sharedHeaders: Headers): Answer | undefined {
    const key = shorten(longKey);
    const ready = this.#ready.get(key);
    if (ready !== undefined) {
      ready.wasUsed = true;
      return ready.answer;
    }
    const place = this.#places.get(key);
    if (place === undefined || place < this.#floor) return this.large.find(key);
    const { digest, link, bytes } = this.#read(place);
    const body = AnswerBody.ofBody({ digest, bytes });
    const answer = new Answer(sharedHeaders, body, link === "" ? { release } : { release, link });
    if (place < this.#floor + this.#maxSlabs * this.#slabBytes * OLDEST_SHARE) {
      this.#keepSmall(key, caller.held.key.project, answer, bytes);
    }
    this.#keepReady(key, answer);
    return answer;
  }

  keep(longKey: string, project: string, answer: Answer): void {
    const key = shorten(longKey);
    if (answer.body.isLarge) return this.large.keep(key, project, answer);
    if (this.#maxSlabs === 0) return;
    const { compact } = answer.body;
    if (compact !== undefined) this.#keepSmall(key, project, answer, compact);
  }

  clear(): void {
    this.#places.clear();
    this.#byAge = this.#places.entries();
    this.#oldest = undefined;
    this.#ready.clear();
    this.#readyBytes = 0;
    this.large.clear();
  }

  /** The position of the oldest record that is not overwritten; negative while slabs are unused. */
  get #floor(): number {
    return (Math.floor(this.#end / this.#slabBytes) + 1 - this.#maxSlabs) * this.#slabBytes;
  }

  #keepSmall(key: string, project: string, { body, own }: Answer, bytes: Bytes): void {
    const { link = "" } = own;
    const shareKey = shorten(`${CONTENT_MARK}${project} ${body.digest} ${link}`);
    const shared = this.#places.get(shareKey) ?? -Infinity;
    const isRecent = shared >= this.#floor + this.#maxSlabs * this.#slabBytes * OLDEST_SHARE;
    const place = isRecent ? shared : this.#write(body.digest, link, bytes);
    for (const each of [key, shareKey]) {
      this.#places.delete(each);
      this.#places.set(each, place);
    }
    this.#evict();
  }

  /** Evicts keys of overwritten records, and the oldest keys while there are too many. */
  #evict(): void {
    for (;;) {
      this.#oldest ??= this.#byAge.next().value;
      if (this.#oldest === undefined) this.#byAge = this.#places.entries();
      const [key, place] = this.#oldest ?? ["", Infinity];
      if (place >= this.#floor && this.#places.size <= this.#maxKeys) return;
      // Skip a key whose record has been rewritten since.
      if (this.#places.get(key) === place) {
        this.#places.delete(key);
        if (!key.startsWith(CONTENT_MARK)) this.evictions++;
      }
      this.#oldest = undefined;
    }
  }

  #write(digest: string, link: string, bytes: Bytes): number {
    const length = HEAD_BYTES + link.length + bytes.byteLength;
    if ((this.#end % this.#slabBytes) + length > this.#slabBytes)
      this.#end = Math.ceil(this.#end / this.#slabBytes) * this.#slabBytes;
    const place = this.#end;
    const slab = (this.#slabs[this.#slabOf(place)] ??= Buffer.allocUnsafeSlow(this.#slabBytes));
    const at = place % this.#slabBytes;
    slab.writeUInt32LE(bytes.byteLength, at);
    slab.writeUInt32LE(link.length, at + 4);
    // Links are ASCII, like all header fields.
    slab.write(digest + link, at + 8, "latin1");
    slab.set(bytes, at + HEAD_BYTES + link.length);
    this.#end = place + length;
    return place;
  }

  #read(place: number): { digest: string; link: string; bytes: Bytes } {
    const slab = this.#slabs[this.#slabOf(place)] ?? Buffer.alloc(HEAD_BYTES);
    const at = place % this.#slabBytes;
    const [length, linkLength] = [slab.readUInt32LE(at), slab.readUInt32LE(at + 4)];
    const from = at + HEAD_BYTES + linkLength;
    return {
      digest: slab.toString("latin1", at + 8, at + HEAD_BYTES),
      link: slab.toString("latin1", at + HEAD_BYTES, from),
      // Copy the bytes, because the slab might be overwritten while the answer is sent.
      bytes: new Uint8Array(slab.subarray(from, from + length)),
    };
  }

  #slabOf(place: number): number {
    return Math.floor(place / this.#slabBytes) % this.#maxSlabs;
  }

  #keepReady(key: string, answer: Answer): void {
    const bytes = 2 * answer.body.contentBytes;
    this.#ready.set(key, { answer, bytes, wasUsed: false });
    this.#readyBytes += bytes;
    for (const [oldest, ready] of this.#ready) {
      if (this.#ready.size <= MAX_READY && this.#readyBytes <= this.#maxReadyBytes) return;
      this.#ready.delete(oldest);
      if (ready.wasUsed) this.#ready.set(oldest, { ...ready, wasUsed: false });
      else this.#readyBytes -= ready.bytes;
    }
  }
}

function shorten(key: string): string {
  return key.length > MAX_KEY_CHARACTERS ? `${key.charAt(0)} ${digestText(key)}` : key;
}
