import { Answer, type AnswerFrame } from "./answer.ts";
import type { EncodedBody } from "./encoded-body.ts";
import type { PackedBody } from "./packed-bodies.ts";

/**
 * A cache of 64 MiB keeps 1,024 answers ready to send. Besides its body each of them takes 26 KB: headers, objects, and the
 * room that the garbage collector leaves.
 */
const CACHE_BYTES_PER_READY_ENTRY = 65_536;
/** The memory that bodies of ready answers may take in addition to the cache, as a share of it. */
const READY_SHARE = 1 / 4;
/** When no more answers can be ready, one in this many uses makes an answer ready in the place of another. */
const USES_PER_EXCHANGE = 16;

/** What the cache has of an answer. */
export interface ReadyEntry {
  readonly frame: AnswerFrame;
  readonly packed: PackedBody;
  /** The answer as an object that is ready to send, for what is requested most. */
  answer: Answer | undefined;
  /** Set by each use; cleared when it saves the entry from being dropped. */
  wasUsed: boolean;
}

/** A body that ready answers share. */
interface ReadyBody {
  body: EncodedBody;
  uses: number;
  /** The size as counted; compression adds to a body. */
  bytes: number;
}

/** The answers of a cache that are objects, ready to send: a few, of what is requested most. */
export class ReadyAnswers {
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  /** Oldest first. */
  readonly #entries = new Set<ReadyEntry>();
  readonly #bodies = new Map<PackedBody, ReadyBody>();
  #bytes = 0;

  /** `cacheBytes` is the size of the cache. */
  constructor(cacheBytes: number) {
    this.#maxEntries = Math.ceil(cacheBytes / CACHE_BYTES_PER_READY_ENTRY);
    this.#maxBytes = cacheBytes * READY_SHARE;
  }

  get hasRoom(): boolean {
    return this.#entries.size < this.#maxEntries;
  }

  findBody(packed: PackedBody): EncodedBody | undefined {
    return this.#bodies.get(packed)?.body;
  }

  /** Makes an answer ready that is just used: where there is room, else now and then in the place of another. */
  noteUse(entry: ReadyEntry, answer: Answer): void {
    if (this.hasRoom || Math.random() * USES_PER_EXCHANGE < 1) this.add(entry, answer);
  }

  /** Makes an answer ready, in the place of others where there is no room. */
  add(entry: ReadyEntry, { frame, body }: Answer): void {
    const ready = this.#bodies.get(entry.packed) ?? { body, uses: 0, bytes: 0 };
    this.#bodies.set(entry.packed, ready);
    ready.uses++;
    this.#count(ready);
    entry.answer = new Answer(frame, ready.body);
    this.#entries.add(entry);
    this.#limit();
  }

  /** Counts the bytes that compression has added to a body. */
  recount(packed: PackedBody): void {
    const ready = this.#bodies.get(packed);
    if (ready === undefined) return;
    this.#count(ready);
    this.#limit();
  }

  /** Forgets the answer of an entry, if it is ready. */
  end(entry: ReadyEntry): void {
    if (entry.answer === undefined) return;
    this.#entries.delete(entry);
    entry.answer = undefined;
    const ready = this.#bodies.get(entry.packed);
    if (ready === undefined || --ready.uses > 0) return;
    this.#bytes -= ready.bytes;
    this.#bodies.delete(entry.packed);
  }

  #count(ready: ReadyBody): void {
    this.#bytes += ready.body.bytes - ready.bytes;
    ready.bytes = ready.body.bytes;
  }

  #limit(): void {
    for (const entry of this.#entries) {
      if (this.#entries.size <= this.#maxEntries && this.#bytes <= this.#maxBytes) return;
      if (entry.wasUsed) {
        entry.wasUsed = false;
        // To the end.
        this.#entries.delete(entry);
        this.#entries.add(entry);
      } else {
        this.end(entry);
      }
    }
  }
}
