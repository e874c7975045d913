// Images with only a head: readers of sizes stop there.

const be32 = (value: number): number[] => [value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255];
const be16 = (value: number): number[] => [value >> 8, value & 255];
const le16 = (value: number): number[] => [value & 255, value >> 8];
const le24 = (value: number): number[] => [...le16(value & 0xffff), value >> 16];
const ascii = (text: string): number[] => [...Buffer.from(text, "latin1")];
const riff = (...parts: number[][]): Uint8Array =>
  Uint8Array.from([ascii("RIFF\0\0\0\0WEBP"), ...parts, Array<number>(16).fill(0)].flat());

export const createPng = (width: number, height: number): Uint8Array =>
  Uint8Array.from([...ascii("\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), ...be32(width), ...be32(height), 8, 2, 0, 0, 0]);

export const createGif = (width: number, height: number): Uint8Array =>
  Uint8Array.from([...ascii("GIF89a"), ...le16(width), ...le16(height), 0, 0, 0]);

/** `metadata` is bytes of other programs before the size. */
export function createJpeg(
  width: number,
  height: number,
  { orientation = 1, isLittle = false, metadata = 0 } = {},
): Uint8Array {
  const two = (value: number): number[] => (isLittle ? le16(value) : be16(value));
  const four = (value: number): number[] => (isLittle ? be32(value).toReversed() : be32(value));
  const tag = [...two(0x0112), ...two(3), ...four(1), ...two(orientation), 0, 0];
  const exif = [...ascii(`Exif\0\0${isLittle ? "II" : "MM"}`), ...two(42), ...four(8), ...two(1), ...tag, ...four(0)];
  const segment = (marker: number, body: number[]): number[] => [0xff, marker, ...be16(body.length + 2), ...body];
  const more: number[] = [];
  for (let left = metadata; left > 0; left -= 60_000)
    more.push(...segment(0xe2, Array<number>(Math.min(left, 60_000)).fill(0)));
  const frame = [8, ...be16(height), ...be16(width), 3, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  return Uint8Array.from([0xff, 0xd8, ...segment(0xe1, exif), ...more, 0xff, ...segment(0xc2, frame)]);
}

export const createWebp = {
  extended: (width: number, height: number): Uint8Array =>
    riff(ascii("VP8X\0\0\0\0"), [0, 0, 0, 0], le24(width - 1), le24(height - 1)),
  lossless: (width: number, height: number): Uint8Array =>
    riff(ascii("VP8L\0\0\0\0"), [0x2f], be32((width - 1) | ((height - 1) << 14)).toReversed()),
  lossy: (width: number, height: number): Uint8Array =>
    riff(ascii("VP8 \0\0\0\0"), [0, 0, 0, 0x9d, 0x01, 0x2a], le16(width), le16(height)),
};
