// Reads the directory of a ZIP once, and members on demand.
import { isUtf8 } from "node:buffer";
import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { crc32 } from "node:zlib";
import { Entry, getFileNameLowLevel, openPromise, type ZipFile } from "yauzl";
import { describeTooDense, describeTooManyMembers, RATIO_FREE_BYTES, type ArchiveLimits } from "../limits.ts";
import type { OpenArchive } from "./archive-files.ts";
import { ArchiveTree, BadArchive } from "./archive-tree.ts";

const STORED = 0;
/** The flag of an entry whose name is UTF-8 (APPNOTE 4.4.4, bit 11). */
const UTF8_FLAG = 0x800;
const DEFLATED = 8;
/** The signature of a directory entry (APPNOTE 4.3.12). */
const ENTRY_SIGNATURE = Buffer.from("PK\x01\x02", "latin1");
/** The locator of a 64-bit directory, and the end record with its comment (APPNOTE 4.3.15 and 4.3.16). */
const LOCATOR_SIGNATURE = 0x07064b50;
const LOCATOR_BYTES = 20;
const END_SIGNATURE = Buffer.from("PK\x05\x06", "latin1");
const END_BYTES = 22;
const MAX_END_BYTES = LOCATOR_BYTES + END_BYTES + 65_535;
const FAR_DIRECTORY = "is damaged or truncated: its directory begins after the end of the file";
/** The maximum number of packed bytes beyond twice the size of a member. */
const MAX_PADDING_BYTES = 64 * 1024;
/** Linux's limit on the length of a path (PATH_MAX): no link needs a longer target. */
const MAX_LINK_BYTES = 4096;

/** The fields of an entry that are needed to read its content. */
interface Packed {
  offset: number;
  compressedBytes: number;
  bytes: number;
  isDeflated: boolean;
  crc: number;
}

/** Opens a ZIP. Throws BadArchive if the ZIP is damaged, hostile or over a limit. */
export async function openZip(path: string, limits: ArchiveLimits): Promise<OpenArchive> {
  await refuseFarDirectory(path);
  const zip = await openPromise(path, { autoClose: false, lazyEntries: true, decodeStrings: false }).catch(toBad);
  try {
    const tree = await readDirectory(zip, limits);
    await refuseUncounted(path, zip);
    return { tree, hasMore: false, close: async () => zip.close() };
  } catch (error) {
    zip.close();
    throw error;
  }
}

// Refuses a directory that begins after the end of the file: yauzl would throw an error that nothing can catch.
async function refuseFarDirectory(path: string): Promise<void> {
  await using file = await open(path);
  const { size } = await file.stat();
  const bytes = Math.min(size, MAX_END_BYTES);
  const { buffer } = await file.read(Buffer.alloc(bytes), 0, bytes, size - bytes);
  // Finds the end record as yauzl does, since a comment can contain signatures, too.
  const locator = buffer.lastIndexOf(END_SIGNATURE, bytes - END_BYTES) - LOCATOR_BYTES;
  if (locator < 0 || buffer.readUInt32LE(locator) !== LOCATOR_SIGNATURE) return;
  if (buffer.readBigUInt64LE(locator + 8) > size) throw new BadArchive(FAR_DIRECTORY);
}

async function readDirectory(zip: ZipFile, limits: ArchiveLimits): Promise<ArchiveTree> {
  // Checked first, so that a huge directory is not read.
  if (zip.entryCount > limits.maxMembers) throw new BadArchive(describeTooManyMembers(limits));
  const tree = new ArchiveTree(limits);
  const extents: Extent[] = [];
  let path: string | undefined;
  try {
    for await (const entry of zip.eachEntry()) {
      path = decodePath(entry);
      extents.push({ path, start: entry.relativeOffsetOfLocalHeader, end: findLeastEnd(entry) });
      await addEntry(zip, tree, path, entry, limits);
    }
  } catch (error) {
    throw error instanceof BadArchive ? error : new BadArchive(describeDamage(error, path));
  }
  refuseOverlaps(extents, zip.fileSize);
  return tree;
}

// Some programs record the number of entries modulo 65,536, so yauzl would miss the entries beyond that number.
async function refuseUncounted(path: string, zip: ZipFile): Promise<void> {
  const { readEntryCursor } = zip as ZipFile & { readEntryCursor: number };
  if (readEntryCursor > zip.fileSize) throw new BadArchive(FAR_DIRECTORY);
  await using file = await open(path);
  const { buffer } = await file.read(Buffer.alloc(4), 0, 4, readEntryCursor);
  if (buffer.equals(ENTRY_SIGNATURE)) {
    throw new BadArchive("contains more entries than its end record states; pack it again with another program");
  }
}

async function addEntry(
  zip: ZipFile,
  tree: ArchiveTree,
  path: string,
  entry: Entry,
  limits: ArchiveLimits,
): Promise<void> {
  // Skips the metadata files that macOS adds.
  if (path.startsWith("__MACOSX/")) return;
  if (path.endsWith("/")) return tree.addFolder(path);
  const packed = toPacked(entry, path, limits);
  const kind = findUnixKind(entry);
  if (kind === "special")
    throw new BadArchive("is a device, a pipe or a socket, not a file; leave it out of the archive", path);
  if (kind === "folder") return tree.addFolder(path);
  if (kind === "file") return tree.addFile(path, packed.bytes, () => streamPacked(zip, packed));
  // Overlaps are refused later, and until then all links can share one large member.
  if (Math.max(packed.bytes, packed.compressedBytes) > MAX_LINK_BYTES)
    throw new BadArchive(`is a link of more than ${MAX_LINK_BYTES} bytes`, path);
  tree.addLink(path, await readText(streamPacked(zip, packed)));
}

async function readText(parts: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const part of parts) text += decoder.decode(part, { stream: true });
  return text + decoder.decode();
}

function toPacked(entry: Entry, path: string, limits: ArchiveLimits): Packed {
  if (entry.isEncrypted()) throw new BadArchive("is encrypted; pack the archive without a password", path);
  const { compressionMethod: method, compressedSize: compressedBytes, uncompressedSize: bytes } = entry;
  const { relativeOffsetOfLocalHeader: offset, crc32: crc } = entry;
  if (![compressedBytes, bytes, offset].every(Number.isSafeInteger)) {
    throw new BadArchive("has an invalid size or offset", path);
  }
  if (method !== STORED && method !== DEFLATED) {
    throw new BadArchive(`uses compression method ${method}; only "deflate" and "store" are supported`, path);
  }
  if (bytes > RATIO_FREE_BYTES && bytes > compressedBytes * limits.maxRatio) {
    throw new BadArchive(describeTooDense(limits), path);
  }
  // Each link to a member reads all of its packed bytes, but only the unpacked ones count.
  if (compressedBytes > 2 * bytes + MAX_PADDING_BYTES)
    throw new BadArchive("is packed into more than twice its size; pack the archive again", path);
  return { offset, compressedBytes, bytes, isDeflated: method === DEFLATED, crc };
}

// APPNOTE 4.4.17.1 requires `/`. Some Windows programs write `\` instead, or do not set the flag for UTF-8.
function decodePath({ fileNameRaw, generalPurposeBitFlag, extraFields }: Entry): string {
  const flags = isUtf8(fileNameRaw) ? generalPurposeBitFlag | UTF8_FLAG : generalPurposeBitFlag;
  return getFileNameLowLevel(flags, fileNameRaw, extraFields, true).replaceAll("\\", "/");
}

// Programs on Unix store `st_mode` in the upper 16 bits of the attributes.
function findUnixKind({ versionMadeBy, externalFileAttributes }: Entry): "file" | "folder" | "link" | "special" {
  const isUnix = versionMadeBy >>> 8 !== 0;
  const format = (externalFileAttributes >>> 16) & 0o170000;
  if (!isUnix || format === 0 || format === 0o100000) return "file";
  if (format === 0o040000) return "folder";
  return format === 0o120000 ? "link" : "special";
}

interface Extent {
  path: string;
  start: number;
  end: number;
}

// Leaves out extra fields, since those in the local header can differ from those in the directory.
function findLeastEnd({ relativeOffsetOfLocalHeader, fileNameLength, compressedSize }: Entry): number {
  return relativeOffsetOfLocalHeader + 30 + fileNameLength + compressedSize;
}

// Members that share bytes can make a small ZIP unpack to a huge size: https://www.bamsoftware.com/hacks/zipbomb/.
function refuseOverlaps(extents: Extent[], fileBytes: number): void {
  extents.sort((a, b) => a.start - b.start);
  let end = 0;
  for (const extent of extents) {
    if (extent.start < end) throw new BadArchive("shares bytes with another member, as in a zip bomb", extent.path);
    if (extent.end > fileBytes)
      throw new BadArchive("extends beyond the end of the archive: the archive is truncated", extent.path);
    ({ end } = extent);
  }
}

/** Streams a member. Throws an Error with a message for users if the content does not match the directory. */
async function* streamPacked(zip: ZipFile, packed: Packed): AsyncGenerator<Uint8Array> {
  let crc = 0;
  for await (const part of await openPacked(zip, packed)) {
    crc = crc32(part as Uint8Array, crc);
    yield part as Uint8Array;
  }
  if (crc !== packed.crc) throw new Error("it is damaged: its checksum (CRC-32) does not match");
}

function openPacked(zip: ZipFile, { offset, compressedBytes, bytes, isDeflated }: Packed): Promise<Readable> {
  const entry = Object.assign(new Entry(), {
    relativeOffsetOfLocalHeader: offset,
    compressedSize: compressedBytes,
    uncompressedSize: bytes,
    compressionMethod: isDeflated ? DEFLATED : STORED,
    generalPurposeBitFlag: 0,
  });
  return zip.openReadStreamPromise(entry);
}

function toBad(error: unknown): never {
  throw new BadArchive(describeDamage(error, undefined));
}

function describeDamage(error: unknown, lastPath: string | undefined): string {
  const after = lastPath === undefined ? "" : ` after ${lastPath}`;
  return `is damaged or truncated${after}: ${error instanceof Error ? error.message : String(error)}`;
}
