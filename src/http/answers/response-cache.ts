import type { Release } from "../../catalog/store.ts";
import type { LargeWork } from "../operations/large-work.ts";
import { ENCODINGS } from "../request/encoding.ts";
import { throwUnlessGone } from "../request/errors.ts";
import { Answer } from "./answer.ts";
import { EncodedBody } from "./encoded-body.ts";
import { countIndexBytes, ENTRY_BYTES } from "./index-bytes.ts";
import type { LargeAnswers } from "./large-answers.ts";
import { PackedBodies, type Codings, type PackedBody } from "./packed-bodies.ts";
import { ReadyAnswers, type ReadyEntry } from "./ready-answers.ts";
import { RecentlySeen } from "./recently-seen.ts";

/** The share of the cache that the index may take. Bodies get the rest. */
const INDEX_SHARE = 1 / 8;
/**
 * The plain form of a body is kept beside gzip while bodies fill less than this share of their room. It spares clients without
 * compression 10 µs. Above the share it is unpacked for each answer, because gzip alone lets the cache hold three times as much.
 */
const PLAIN_SHARE = 1 / 2;
/** The most bodies that one addition spares because their entries were used, so that no addition takes long. */
const MAX_SPARED = 16;
let caches = 0;

interface Entry extends ReadyEntry {
  readonly scope: Map<string, Entry>;
  readonly path: string;
  /** Without the body. */
  readonly bytes: number;
}

/**
 * Answers, as packed bytes; those that are requested most also as objects that are ready to send. A release never changes,
 * so no entry is ever invalidated: those that are no longer requested are displaced by others. Ask it only for requests
 * whose key was checked.
 */
export class ResponseCache {
  readonly #maxIndexBytes: number;
  readonly #maxPlainBytes: number;
  /**
   * Part of the keys in `large`, which outlives this cache: with another store, the same release id means other content.
   */
  readonly #number = ++caches;
  /** By release and by whether the reader sees drafts, then by canonical path. */
  readonly #scopes = new Map<number, Map<string, Entry>>();
  /** The entries of each body, oldest first. A new release shares most bodies of the one before. */
  readonly #entries = new Map<PackedBody, Entry[]>();
  readonly #packed: PackedBodies;
  readonly #ready: ReadyAnswers;
  readonly #seen = new RecentlySeen();
  /** Large answers are kept apart, in a budget that also counts those being made and read. */
  readonly large: LargeAnswers;
  readonly #pending = new Map<string, Promise<Answer | undefined>>();
  #entryCount = 0;
  #indexBytes = 0;

  /** With `maxBytes` 0 nothing is kept. */
  constructor(maxBytes: number, large: LargeAnswers) {
    this.#maxIndexBytes = Math.floor(maxBytes * INDEX_SHARE);
    this.#ready = new ReadyAnswers(maxBytes);
    const packedBytes = Math.floor(maxBytes * (1 - INDEX_SHARE));
    this.#maxPlainBytes = packedBytes * PLAIN_SHARE;
    this.#packed = new PackedBodies(packedBytes, (body) => this.#forgetEntries(body));
    this.large = large;
  }

  /** The size of the packed bodies and their index. */
  get bytes(): number {
    return this.#packed.bytes + this.#indexBytes;
  }

  get entries(): number {
    return this.#entryCount;
  }

  /** The answer for a canonical path and query, for readers who see drafts or do not. */
  find(release: Release, readsDrafts: boolean, path: string): Answer | undefined {
    const entry = this.#scopes.get(toScopeKey(release, readsDrafts))?.get(path);
    if (entry === undefined) return this.large.find(this.#toKey(release, readsDrafts, path));
    entry.wasUsed = true;
    entry.packed.wasUsed = true;
    return entry.answer ?? this.#unpack(entry);
  }

  /** A body with this digest that some entry has, so that equal content is kept and compressed once. */
  findBody(digest: string): EncodedBody | undefined {
    const packed = this.#packed.find(digest);
    return packed === undefined ? this.large.findBody(digest) : this.#unpackBody(packed);
  }

  /**
   * The answer for a path, made by `build` if it is not cached; undefined when `build` returns none. Concurrent requests
   * share one build, and its error, unless the client that it was begun for has disconnected: then another request builds
   * again. Throws 499 when the client of `work` has disconnected.
   */
  async obtain(
    release: Release,
    readsDrafts: boolean,
    path: string,
    build: () => Promise<Answer | undefined>,
    work: LargeWork,
  ): Promise<Answer | undefined> {
    const found = this.find(release, readsDrafts, path);
    if (found !== undefined) return found;
    const key = this.#toKey(release, readsDrafts, path);
    for (let others = this.#pending.get(key); others !== undefined; others = this.#pending.get(key)) {
      try {
        return await others;
      } catch (error) {
        throwUnlessGone(error);
        work.stopIfGone();
      }
    }
    const pending = build();
    this.#pending.set(key, pending);
    try {
      const answer = await pending;
      if (answer !== undefined) this.#add(release, readsDrafts, path, answer);
      return answer;
    } finally {
      this.#pending.delete(key);
    }
  }

  #add(release: Release, readsDrafts: boolean, path: string, answer: Answer): void {
    if (this.#maxIndexBytes < ENTRY_BYTES) return;
    const { body, frame } = answer;
    if (body.isLarge) {
      this.large.keep(this.#toKey(release, readsDrafts, path), answer);
      return;
    }
    const scopeKey = toScopeKey(release, readsDrafts);
    const scope = this.#scopes.get(scopeKey) ?? new Map<string, Entry>();
    if (scope.has(path)) return;
    const known = this.#packed.find(body.digest);
    const bytes = countIndexBytes(path, answer);
    const hasRoom =
      this.#indexBytes + bytes <= this.#maxIndexBytes && (known !== undefined || this.#packed.hasRoom(body.bytes));
    // A client that reads a whole catalog once must not displace what is requested again and again. By path alone: what was
    // requested in one release will be in the next.
    if (!this.#seen.note(path) && !hasRoom) return;
    const packed = known ?? this.#packed.add(body.digest, this.#toPacked(body, {}));
    if (packed === undefined) return;
    this.#scopes.set(scopeKey, scope);
    const entry: Entry = { scope, path, frame, packed, bytes, answer: undefined, wasUsed: false };
    scope.set(path, entry);
    const others = this.#entries.get(packed) ?? [];
    // Moved to the end, so that a body that got an entry is dropped later than older ones.
    this.#entries.delete(packed);
    this.#entries.set(packed, [...others, entry]);
    this.#entryCount++;
    this.#indexBytes += bytes;
    this.#limitEntries();
    if (this.#ready.hasRoom && scope.get(path) === entry) this.#ready.add(entry, answer);
  }

  /** Takes over the codings that compression has added to a body. */
  recount(body: EncodedBody): void {
    if (body.isLarge) this.large.recount(body);
    const packed = this.#packed.find(body.digest);
    if (packed === undefined) return;
    this.#ready.recount(packed);
    const added = this.#toPacked(body, packed.records);
    if (Object.keys(added).length > 0) this.#packed.addCodings(packed, added);
  }

  /** Drops large answers that were not requested for a minute. Call it at short intervals. */
  sweep(nowMs: number): void {
    this.large.sweep(nowMs);
    for (const [key, scope] of this.#scopes) if (scope.size === 0) this.#scopes.delete(key);
  }

  /** The codings of a small body that are to be packed and are not in `known`. */
  #toPacked({ codings }: EncodedBody, known: PackedBody["records"]): Codings {
    const added: Codings = {};
    const keepsPlain = codings.gzip === undefined || this.#packed.bytes < this.#maxPlainBytes;
    for (const encoding of ENCODINGS) {
      const content = codings[encoding];
      if (!(content instanceof Uint8Array) || known[encoding] !== undefined) continue;
      if (encoding !== "identity" || keepsPlain) added[encoding] = content;
    }
    return added;
  }

  #unpack(entry: Entry): Answer {
    const answer = new Answer(entry.frame, this.#unpackBody(entry.packed));
    this.#ready.noteUse(entry, answer);
    return answer;
  }

  #unpackBody(packed: PackedBody): EncodedBody {
    return this.#ready.findBody(packed) ?? new EncodedBody(packed.digest, this.#packed.read(packed));
  }

  /** Drops the oldest entries; those that were used meanwhile get a second chance. */
  #limitEntries(): void {
    let spared = 0;
    for (const [packed, entries] of this.#entries) {
      if (this.#indexBytes <= this.#maxIndexBytes) return;
      this.#entries.delete(packed);
      const used = spared < MAX_SPARED ? entries.filter(({ wasUsed }) => wasUsed) : [];
      for (const entry of entries) if (!used.includes(entry)) this.#forget(entry);
      if (used.length === 0) continue;
      spared++;
      for (const entry of used) entry.wasUsed = false;
      this.#entries.set(packed, used);
    }
  }

  #forgetEntries(packed: PackedBody): void {
    for (const entry of this.#entries.get(packed) ?? []) this.#forget(entry);
    this.#entries.delete(packed);
  }

  #forget(entry: Entry): void {
    entry.scope.delete(entry.path);
    this.#entryCount--;
    this.#indexBytes -= entry.bytes;
    this.#ready.end(entry);
  }

  #toKey(release: Release, readsDrafts: boolean, path: string): string {
    return `${this.#number} ${toScopeKey(release, readsDrafts)} ${path}`;
  }
}

function toScopeKey({ id }: Release, readsDrafts: boolean): number {
  return 2 * id + (readsDrafts ? 1 : 0);
}
