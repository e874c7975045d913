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
import { RequestCounts } from "./request-counts.ts";

/** The share of the cache that the index may take. Bodies get the rest. */
const INDEX_SHARE = 1 / 4;
/**
 * The plain form of a body is kept beside gzip while bodies fill less than this share of their room. It spares clients without
 * compression 10 µs. Above the share it is unpacked for each answer, because gzip alone lets the cache hold three times as much.
 */
const PLAIN_SHARE = 1 / 2;
/** The most bodies that one addition spares because their entries were used, so that no addition takes long. */
const MAX_SPARED = 16;
/** One in so many answers that are not taken in moves the one that was worth as much. */
const REFUSALS_PER_MOVE = 16;
let caches = 0;

/** The entries of a release, for readers who see drafts or for those who do not, by canonical path. */
interface Scope {
  readonly releaseId: number;
  readonly entries: Map<string, Entry>;
}

interface Entry extends ReadyEntry {
  readonly scope: Scope;
  readonly path: string;
  /** Without the body. */
  readonly bytes: number;
  /** Another entry of the same body. */
  other: Entry | undefined;
}

/** The entries of a body: a chain, since nearly all bodies have one. */
function listChain(first: Entry | undefined): Entry[] {
  const entries: Entry[] = [];
  for (let entry = first; entry !== undefined; entry = entry.other) entries.push(entry);
  return entries;
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
  /** By release and by whether the reader sees drafts. */
  readonly #scopes = new Map<number, Scope>();
  /** The releases that channels show. */
  #current: ReadonlySet<number> = new Set();
  /** The entries of all others. */
  #retiredCount = 0;
  /** An entry of each body, oldest first. A new release shares most bodies of the one before. */
  readonly #entries = new Map<PackedBody, Entry>();
  readonly #packed: PackedBodies;
  readonly #ready: ReadyAnswers;
  readonly #counts = new RequestCounts();
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
    this.#packed = new PackedBodies(packedBytes, {
      isWanted: (body) => this.#isCurrent(body),
      onDrop: (body) => this.#forgetEntries(body),
    });
    this.large = large;
  }

  /** The size of the packed bodies and their index. */
  get bytes(): number {
    return this.#packed.bytes + this.#indexBytes;
  }

  get entries(): number {
    return this.#entryCount;
  }

  /** Takes over which releases channels show. Answers of others make room for those of these, however often they were used. */
  noteCurrent(releaseIds: ReadonlySet<number>): void {
    this.#current = releaseIds;
    this.#retiredCount = 0;
    for (const scope of this.#scopes.values()) if (this.#isRetired(scope)) this.#retiredCount += scope.entries.size;
  }

  /** The answer for a canonical path and query, for readers who see drafts or do not. */
  find(release: Release, readsDrafts: boolean, path: string): Answer | undefined {
    const entry = this.#scopes.get(toScopeKey(release, readsDrafts))?.entries.get(path);
    if (entry === undefined) return this.large.find(this.#toKey(release, readsDrafts, path));
    entry.wasUsed = true;
    entry.packed.wasUsed = true;
    this.#counts.noteOwn(entry.packed);
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
    const scope: Scope = this.#scopes.get(scopeKey) ?? { releaseId: release.id, entries: new Map() };
    if (scope.entries.has(path)) return;
    const known = this.#packed.find(body.digest);
    const bytes = countIndexBytes(path, answer);
    // By path alone: what was requested in one release will be in the next.
    const count = this.#counts.note(path);
    if (!this.#isWorthItsRoom(scope, count, bytes, known === undefined ? body.bytes : 0)) return;
    const packed = known ?? this.#packed.add(body.digest, this.#toPacked(body, undefined), this.#counts.begin(count));
    if (packed === undefined) return;
    this.#scopes.set(scopeKey, scope);
    // What readers get from now on takes the place of what they got before.
    const other = this.#isRetired(scope) ? this.#entries.get(packed) : this.#dropRetired(this.#entries.get(packed));
    const entry: Entry = { scope, path, frame, packed, bytes, answer: undefined, wasUsed: false, other };
    scope.entries.set(path, entry);
    // Moved to the end, so that a body that got an entry is dropped later than older ones.
    this.#entries.delete(packed);
    this.#entries.set(packed, entry);
    this.#entryCount++;
    if (this.#isRetired(scope)) this.#retiredCount++;
    this.#indexBytes += bytes;
    this.#limitEntries();
    if (this.#ready.hasRoom && scope.entries.get(path) === entry) this.#ready.add(entry, answer);
  }

  /**
   * True where there is room, or for an answer that was asked for more often than the one in whose place it would come. A client
   * that reads a whole catalog, once or again and again, displaces nothing that is asked for as often: to take an answer in
   * takes as long as to find it. Now and then the one that stays is moved out of the way, since others stand behind it; always
   * while some of them are of a release that no channel shows, since these are worth less than any that a channel shows.
   */
  #isWorthItsRoom(scope: Scope, count: number, indexBytes: number, bodyBytes: number): boolean {
    const hasIndexRoom = this.#indexBytes + indexBytes <= this.#maxIndexBytes;
    if (hasIndexRoom && (bodyBytes === 0 || this.#packed.hasRoom(bodyBytes))) return true;
    const oldest = hasIndexRoom ? this.#packed.findOldest() : this.#entries.keys().next().value;
    if (oldest === undefined || count > this.#counts.read(oldest)) return true;
    const displacesRetired = this.#retiredCount > 0 && !this.#isRetired(scope);
    if (displacesRetired && !this.#isCurrent(oldest)) return true;
    if (displacesRetired || Math.random() * REFUSALS_PER_MOVE < 1) {
      if (hasIndexRoom) this.#packed.move(oldest);
      else this.#moveToEnd(oldest);
    }
    return false;
  }

  /** True for a body that a release has which a channel shows. */
  #isCurrent(packed: PackedBody): boolean {
    let entry = this.#entries.get(packed);
    while (entry !== undefined && this.#isRetired(entry.scope)) entry = entry.other;
    return entry !== undefined;
  }

  #isRetired({ releaseId }: Scope): boolean {
    return !this.#current.has(releaseId);
  }

  #moveToEnd(packed: PackedBody): void {
    const first = this.#entries.get(packed);
    this.#entries.delete(packed);
    if (first !== undefined) this.#entries.set(packed, first);
  }

  /** Takes over the codings that compression has added to a body. */
  recount(body: EncodedBody): void {
    if (body.isLarge) this.large.recount(body);
    const packed = this.#packed.find(body.digest);
    if (packed === undefined) return;
    this.#ready.recount(packed);
    const added = this.#toPacked(body, packed);
    if (Object.keys(added).length > 0) this.#packed.addCodings(packed, added);
  }

  /** Drops large answers that were not requested for a minute. Call it at short intervals. */
  sweep(nowMs: number): void {
    this.large.sweep(nowMs);
    for (const [key, scope] of this.#scopes) if (scope.entries.size === 0) this.#scopes.delete(key);
  }

  /** The codings of a small body that are to be packed and that `known` has not. */
  #toPacked({ codings }: EncodedBody, known: PackedBody | undefined): Codings {
    const added: Codings = {};
    const keepsPlain = codings.gzip === undefined || this.#packed.bytes < this.#maxPlainBytes;
    for (const encoding of ENCODINGS) {
      const content = codings[encoding];
      if (!(content instanceof Uint8Array) || (known && this.#packed.has(known, encoding))) continue;
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
    for (const [packed, first] of this.#entries) {
      if (this.#indexBytes <= this.#maxIndexBytes) return;
      this.#entries.delete(packed);
      const maySpare = spared < MAX_SPARED;
      const used = this.#retain(first, (entry) => maySpare && entry.wasUsed && !this.#isRetired(entry.scope));
      if (used === undefined) continue;
      for (const entry of listChain(used)) entry.wasUsed = false;
      spared++;
      this.#entries.set(packed, used);
    }
  }

  /** Forgets the entries of releases that no channel shows, up to the first other one. Returns the rest of the chain. */
  #dropRetired(first: Entry | undefined): Entry | undefined {
    let entry = first;
    for (; entry !== undefined && this.#isRetired(entry.scope); entry = entry.other) this.#forget(entry);
    return entry;
  }

  /** Forgets the entries of a body but for those that `keeps` tells. Returns these, as a chain. */
  #retain(first: Entry | undefined, keeps: (entry: Entry) => boolean): Entry | undefined {
    let kept: Entry | undefined;
    for (const entry of listChain(first).toReversed()) {
      if (keeps(entry)) {
        entry.other = kept;
        kept = entry;
      } else this.#forget(entry);
    }
    return kept;
  }

  #forgetEntries(packed: PackedBody): void {
    this.#retain(this.#entries.get(packed), () => false);
    this.#entries.delete(packed);
  }

  #forget(entry: Entry): void {
    entry.scope.entries.delete(entry.path);
    this.#entryCount--;
    if (this.#isRetired(entry.scope)) this.#retiredCount--;
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
