// Reads a tar, optionally gzipped. Unpacks the tar once into an unnamed file, whose space the system frees when the
// process ends.
import { closeSync, createReadStream, read, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { pipeline, type Readable } from "node:stream";
import { promisify } from "node:util";
import { createGunzip } from "node:zlib";
import { Header } from "tar";
import { ExpectedError } from "../../catalog/expected-error.ts";
import { describeTooDense, describeTooManyBytes, MIB, RATIO_FREE_BYTES, type ArchiveLimits } from "../limits.ts";
import type { OpenArchive } from "./archive-files.ts";
import { ArchiveTree, BadArchive } from "./archive-tree.ts";
import { openNamelessFile } from "./spool.ts";
import { readPax, readSize, type PaxFields } from "./tar-numbers.ts";

const BLOCK = 512;
/** The type of a folder in a header, "5". */
const FOLDER_FLAG = 0x35;
/** The maximum size of a header that describes later members, since such a header is read into memory. */
const MAX_META_BYTES = MIB;
const WRITTEN_TOGETHER = MIB;
const PART_BYTES = 256 * 1024;
const NO_ARCHIVE = "is damaged or not a supported archive";

const readAt = promisify(read);

/** Opens a tar. Throws BadArchive if the tar is damaged, hostile or over a limit. */
export async function openTar(path: string, isGzip: boolean, limits: ArchiveLimits): Promise<OpenArchive> {
  const packedBytes = statSync(path).size;
  if (packedBytes === 0) throw new BadArchive("is an empty file");
  const room = openNamelessFile();
  const packed = openStream(path, isGzip);
  try {
    const stream = new TarStream(packed, packedBytes, limits);
    const tree = await unpack(stream, room, limits);
    // Draining the stream verifies the gzip checksum, which comes last.
    const hasMore = await stream.drain();
    return { tree, hasMore, close: async () => closeSync(room) };
  } catch (error) {
    closeSync(room);
    throw error;
  } finally {
    packed.destroy();
  }
}

function openStream(path: string, isGzip: boolean): Readable {
  const packed = createReadStream(path, { highWaterMark: PART_BYTES });
  // The callback is empty, since the errors of both streams reach the reader of the result.
  return isGzip ? pipeline(packed, createGunzip({ chunkSize: PART_BYTES }), () => undefined) : packed;
}

/** Fields of extended headers, for the next member and for all later ones. */
interface Extended {
  next: PaxFields;
  all: PaxFields;
}

async function unpack(stream: TarStream, room: number, limits: ArchiveLimits): Promise<ArchiveTree> {
  const tree = new ArchiveTree(limits);
  let extended: Extended = { next: {}, all: {} };
  const writer = new MemberWriter(room);
  let position = 0;
  for (let header = await readHeader(stream); header !== undefined; header = await readHeader(stream)) {
    const meta = await readMeta(stream, header, extended);
    if (meta !== undefined) {
      extended = meta;
      continue;
    }
    const { path, linkpath, size = extended.all.size } = extended.next;
    const member = { path: path || header.path, target: linkpath ?? header.linkpath };
    stream.member = member.path;
    // Some programs record a size for a folder or a link, but no content follows.
    const type = header.type === "File" && member.path.endsWith("/") ? "Directory" : header.type;
    const bytes = type === "Directory" || type === "Link" || type === "SymbolicLink" ? 0 : (size ?? header.bytes);
    const start = position;
    const isKept = addMember(tree, type, { ...member, bytes }, () => streamPart(room, start, bytes));
    if (isKept) position += bytes;
    for (let left = bytes; left > 0;) {
      const chunk = await stream.takeSome(left);
      if (isKept) writer.write(chunk);
      left -= chunk.length;
    }
    await stream.skip((BLOCK - (bytes % BLOCK)) % BLOCK);
    extended = { ...extended, next: {} };
  }
  writer.flush();
  return tree;
}

/** Adds a member. Returns false if the member has no content to keep. */
function addMember(
  tree: ArchiveTree,
  type: Header["type"],
  { path, target, bytes }: { path: string; target: string; bytes: number },
  stream: () => AsyncIterable<Uint8Array>,
): boolean {
  switch (type) {
    case "File":
    case "OldFile":
    case "ContiguousFile":
      tree.addFile(path, bytes, stream);
      return true;
    case "Directory":
      tree.addFolder(path);
      return false;
    case "SymbolicLink":
      tree.addLink(path, target);
      return false;
    case "Link":
      tree.addTwin(path, target);
      return false;
    case "CharacterDevice":
    case "BlockDevice":
    case "FIFO":
      throw new BadArchive("is a device or a pipe, not a file; leave it out of the archive", path);
    default:
      throw new BadArchive(`has an unsupported type: ${type}`, path);
  }
}

/** A header with the size of the content that follows. */
interface SizedHeader {
  type: Header["type"];
  path: string;
  linkpath: string;
  bytes: number;
}

/** Reads a header. Returns undefined at the end of the archive. */
async function readHeader(stream: TarStream): Promise<SizedHeader | undefined> {
  for (let empty = 0; empty < 2; empty++) {
    const block = await stream.take(BLOCK);
    // Two empty blocks end an archive. Some programs write only one; an archive without any is truncated.
    if (block === undefined) return empty > 0 ? undefined : stream.fail("is truncated");
    const header = parseHeader(block);
    if (header?.nullBlock) continue;
    if (!header?.cksumValid) return stream.fail(NO_ARCHIVE);
    const { path = "", linkpath = "" } = header;
    // The library calls a file a folder if the first 100 bytes of its name, of which an extended header can give more,
    // end with a slash.
    const type = header.type === "Directory" && block[156] !== FOLDER_FLAG ? "File" : header.type;
    return { type, path, linkpath, bytes: readSize(block, stream.fail) };
  }
  return undefined;
}

/** Parses a header. Returns undefined if one of its numbers is invalid. */
function parseHeader(block: Uint8Array): Header | undefined {
  try {
    return new Header(Buffer.from(block.buffer, block.byteOffset, BLOCK));
  } catch {
    return undefined;
  }
}

/** Reads a header that describes later members. Returns undefined for a member's own header. */
async function readMeta(
  stream: TarStream,
  { type, bytes }: SizedHeader,
  extended: Extended,
): Promise<Extended | undefined> {
  const isPax = type === "ExtendedHeader" || type === "OldExtendedHeader" || type === "GlobalExtendedHeader";
  const isName = type === "NextFileHasLongPath" || type === "OldGnuLongPath" || type === "NextFileHasLongLinkpath";
  if (!isPax && !isName) return undefined;
  if (bytes > MAX_META_BYTES) return stream.fail("has a header that is too long");
  const block = (await stream.take(bytes)) ?? new Uint8Array();
  await stream.skip((BLOCK - (bytes % BLOCK)) % BLOCK);
  if (type === "GlobalExtendedHeader") return { ...extended, all: readPax(block, extended.all, stream.fail) };
  if (isPax) return { ...extended, next: readPax(block, extended.next, stream.fail) };
  const field = type === "NextFileHasLongLinkpath" ? "linkpath" : "path";
  const end = block.indexOf(0);
  const name = new TextDecoder().decode(end === -1 ? block : block.subarray(0, end));
  return { ...extended, next: { ...extended.next, [field]: name } };
}

/** Writes members in order. Collects small members and writes them together. */
class MemberWriter {
  readonly #room: number;
  /** Copies, since a small part of a chunk would keep the whole chunk in memory. */
  readonly #waiting = Buffer.allocUnsafe(WRITTEN_TOGETHER);
  #bytes = 0;

  constructor(room: number) {
    this.#room = room;
  }

  write(chunk: Uint8Array): void {
    for (let rest = chunk; rest.length > 0;) {
      const part = rest.subarray(0, WRITTEN_TOGETHER - this.#bytes);
      this.#waiting.set(part, this.#bytes);
      this.#bytes += part.length;
      if (this.#bytes === WRITTEN_TOGETHER) this.flush();
      rest = rest.subarray(part.length);
    }
  }

  flush(): void {
    let bytes = this.#waiting.subarray(0, this.#bytes);
    this.#bytes = 0;
    try {
      while (bytes.length > 0) bytes = bytes.subarray(writeSync(this.#room, bytes));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ExpectedError(`Cannot unpack the archive in ${tmpdir()}: ${reason}. Set TMPDIR to another folder.`);
    }
  }
}

async function* streamPart(room: number, start: number, bytes: number): AsyncGenerator<Uint8Array> {
  for (let done = 0; done < bytes;) {
    const part = new Uint8Array(Math.min(PART_BYTES, bytes - done));
    const { bytesRead } = await readAt(room, part, 0, part.length, start + done);
    if (bytesRead === 0) throw new Error("the unpacked file is shorter than expected");
    done += bytesRead;
    yield part.subarray(0, bytesRead);
  }
}

/** Reads a tar's bytes and counts them against the limits. */
class TarStream {
  /** The path of the current member, for messages. */
  member: string | undefined;
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #maxUnpackedBytes: number;
  readonly #limits: ArchiveLimits;
  #left: Uint8Array = new Uint8Array();
  #bytes = 0;

  /** `packedBytes` is the size of the archive file. */
  constructor(stream: AsyncIterable<Uint8Array>, packedBytes: number, limits: ArchiveLimits) {
    this.#chunks = stream[Symbol.asyncIterator]();
    this.#maxUnpackedBytes = Math.max(RATIO_FREE_BYTES, packedBytes * limits.maxRatio);
    this.#limits = limits;
  }

  /** Returns exactly `bytes` bytes; undefined at the end. Throws BadArchive if fewer bytes are left. */
  async take(bytes: number): Promise<Uint8Array | undefined> {
    if (bytes === 0) return new Uint8Array();
    if (this.#left.length === 0 && !(await this.#readChunk())) return undefined;
    if (this.#left.length >= bytes) return this.#cut(bytes);
    const parts: Uint8Array[] = [];
    for (let missing = bytes; missing > 0; missing -= parts.at(-1)?.length ?? 0)
      parts.push(await this.takeSome(missing));
    return Buffer.concat(parts);
  }

  /** Returns between 1 and `maxBytes` bytes. Throws BadArchive at the end. */
  async takeSome(maxBytes: number): Promise<Uint8Array> {
    if (this.#left.length === 0 && !(await this.#readChunk()))
      this.fail(this.#bytes < BLOCK ? NO_ARCHIVE : "is truncated");
    return this.#cut(Math.min(maxBytes, this.#left.length));
  }

  /** Reads to the end. Returns true if the rest contains bytes other than NULs. */
  async drain(): Promise<boolean> {
    let hasMore = false;
    while (this.#left.length > 0 || (await this.#readChunk())) {
      const part = this.#cut(this.#left.length);
      hasMore ||= part.some((byte) => byte !== 0);
    }
    return hasMore;
  }

  async skip(bytes: number): Promise<void> {
    for (let left = bytes; left > 0;) left -= (await this.takeSome(left)).length;
  }

  readonly fail = (what: string): never => {
    throw new BadArchive(this.#describeDamage(what));
  };

  #describeDamage(what: string): string {
    return this.member === undefined ? what : `${what} after ${this.member}`;
  }

  #cut(bytes: number): Uint8Array {
    const part = this.#left.subarray(0, bytes);
    this.#left = this.#left.subarray(bytes);
    this.#bytes += bytes;
    // Headers count, too, since a tar can consist of headers alone.
    if (this.#bytes > this.#limits.maxBytes) throw new BadArchive(describeTooManyBytes(this.#limits), this.member);
    if (this.#bytes > this.#maxUnpackedBytes) throw new BadArchive(describeTooDense(this.#limits), this.member);
    return part;
  }

  /** Reads the next chunk. Returns false at the end. */
  async #readChunk(): Promise<boolean> {
    const { value, done } = await this.#chunks.next().catch((error: Error) => {
      throw new BadArchive(`${this.#describeDamage("is damaged or truncated")}: ${error.message}`);
    });
    if (done === true) return false;
    this.#left = value;
    return true;
  }
}
