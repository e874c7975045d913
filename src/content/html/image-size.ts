// Reads an image's size from the first bytes of its file, so that browsers can reserve space for the image.
import { readHtml } from "./read-html.ts";

/** A size in CSS pixels. */
export interface ImageSize {
  width: number;
  height: number;
}

/** The number of bytes to read: in a JPEG, long metadata can precede the size. */
export const IMAGE_HEAD_BYTES = 262_144;
/** The largest width or height that browsers support. */
const MAX_PIXELS = 65_535;

/** Returns the size of a PNG, JPEG, GIF, WebP or SVG from its first bytes; undefined if the size is unknown. */
export function readImageSize(head: Uint8Array): ImageSize | undefined {
  const bytes = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, IMAGE_HEAD_BYTES));
  const size = READERS.find(({ magic }) => magic.test(bytes.toString("latin1", 0, 16)))?.read(bytes);
  if (size === undefined) return undefined;
  const [width, height] = [Math.round(size.width), Math.round(size.height)];
  return width >= 1 && height >= 1 && width <= MAX_PIXELS && height <= MAX_PIXELS ? { width, height } : undefined;
}

const READERS: { magic: RegExp; read: (bytes: Buffer) => ImageSize | undefined }[] = [
  { magic: /^\x89PNG\r\n\x1a\n[^]{4}IHDR/, read: readPng },
  { magic: /^GIF8[79]a/, read: readGif },
  { magic: /^\xff\xd8\xff/, read: readJpeg },
  { magic: /^RIFF[^]{4}WEBPVP8/, read: readWebp },
  { magic: /^(?:\xef\xbb\xbf)?\s*</, read: readSvg },
];

// https://www.w3.org/TR/png-3/#11IHDR
function readPng(bytes: Buffer): ImageSize | undefined {
  return bytes.length < 24 ? undefined : { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function readGif(bytes: Buffer): ImageSize | undefined {
  return bytes.length < 10 ? undefined : { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

// https://www.rfc-editor.org/rfc/rfc9649
function readWebp(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 30) return undefined;
  switch (bytes[15]) {
    case 0x58:
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case 0x4c: {
      const bits = bytes.readUInt32LE(21);
      return bytes[20] === 0x2f ? { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 } : undefined;
    }
    case 0x20: {
      const isKeyFrame = bytes.readUIntBE(23, 3) === 0x9d012a;
      return isKeyFrame
        ? { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
        : undefined;
    }
    default:
      return undefined;
  }
}

// Follows the marker segments to the frame header (ITU-T T.81, annex B). Swaps width and height if browsers rotate the
// image.
function readJpeg(bytes: Buffer): ImageSize | undefined {
  let isTurned = false;
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff;) {
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at++;
      continue;
    }
    const length = bytes.readUInt16BE(at + 2);
    if (length < 2 || marker === 0xda || marker === 0xd9) return undefined;
    if (marker === 0xe1) isTurned ||= liesOnSide(bytes.subarray(at + 4, at + 2 + length));
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      const [height, width] = [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)];
      return isTurned ? { width: height, height: width } : { width, height };
    }
    at += 2 + length;
  }
  return undefined;
}

const EXIF = "Exif\0\0";
const ORIENTATION = 0x0112;

/** Returns true for Exif orientations 5 to 8, which swap width and height. */
function liesOnSide(segment: Buffer): boolean {
  if (segment.toString("latin1", 0, 6) !== EXIF || segment.length < 16) return false;
  const tiff = segment.subarray(6);
  const isLittle = tiff[0] === 0x49;
  const read16 = (at: number): number => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const start = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (start + 2 > tiff.length) return false;
  const end = Math.min(start + 2 + read16(start) * 12, tiff.length - 11);
  for (let at = start + 2; at < end; at += 12) if (read16(at) === ORIENTATION) return read16(at + 8) >= 5;
  return false;
}

const SVG_ATTRIBUTES = new Set(["width", "height", "viewbox"]);

function readSvg(bytes: Buffer): ImageSize | undefined {
  let root: Map<string, string> | undefined;
  readHtml(bytes.toString("utf8"), {
    isWanted: (tag, name) => root === undefined && tag === "svg" && SVG_ATTRIBUTES.has(name),
    onTag: ({ name, end, attributes }) => {
      if (name !== "svg" || end === undefined) return;
      root ??= new Map(attributes.map((attribute) => [attribute.name, attribute.value.trim()]));
    },
  });
  if (root === undefined) return undefined;
  const [width, height] = [root.get("width") ?? "100%", root.get("height") ?? "100%"];
  const [wide, high] = [toPixels(width), toPixels(height)];
  if (wide !== undefined && high !== undefined) return { width: wide, height: high };
  if (!width.endsWith("%") || !height.endsWith("%")) return undefined;
  const box = (root.get("viewbox") ?? "").split(/[\s,]+/).map(Number);
  const [, , boxWidth = 0, boxHeight = 0] = box;
  return box.length === 4 && box.every(Number.isFinite) ? { width: boxWidth, height: boxHeight } : undefined;
}

function toPixels(length: string): number | undefined {
  return /^\d+(?:\.\d+)?(?:px)?$/.test(length) ? Number.parseFloat(length) : undefined;
}
