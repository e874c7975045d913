// Builds archives byte by byte, with false values if requested.
import { crc32, deflateRawSync, gzipSync } from "node:zlib";

export interface ZipMember {
  path: string | Uint8Array;
  content?: string | Uint8Array;
  isStored?: boolean;
  /** False values for the directory. */
  lies?: {
    crc?: number;
    bytes?: number;
    compressedBytes?: number;
    offset?: number;
    flags?: number;
    method?: number;
    /** In the field for Unicode paths (0x7075). */
    unicodePath?: string;
    /** In the 64-bit field. */
    zip64?: { bytes?: bigint; compressedBytes?: bigint; offset?: bigint };
  };
  /** st_mode, as written on Unix. */
  mode?: number;
}

const bytesOf = (content: string | Uint8Array): Uint8Array =>
  typeof content === "string" ? new TextEncoder().encode(content) : content;

/** A ZIP with these members; `count` is the number in its end record. */
export function makeZip(members: ZipMember[], { count = members.length }: { count?: number } = {}): Uint8Array {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let position = 0;
  for (const { path, content = "", isStored = false, lies = {}, mode } of members) {
    const name = bytesOf(path);
    const plain = bytesOf(content);
    const packed = isStored ? plain : deflateRawSync(plain);
    const fields = Buffer.alloc(26);
    const large = lies.zip64 ?? {};
    const numbers = [large.bytes, large.compressedBytes, large.offset].flatMap((number) => number ?? []);
    const unicodePath = bytesOf(lies.unicodePath ?? "");
    const extra = Buffer.alloc(
      numbers.length > 0 ? 4 + 8 * numbers.length : unicodePath.length > 0 ? 9 + unicodePath.length : 0,
    );
    if (unicodePath.length > 0) {
      extra.writeUInt16LE(0x7075, 0);
      extra.writeUInt16LE(5 + unicodePath.length, 2);
      extra.writeUInt8(1, 4);
      extra.writeUInt32LE(crc32(name), 5);
      extra.set(unicodePath, 9);
    }
    if (numbers.length > 0) extra.writeUInt16LE(1, 0);
    if (numbers.length > 0) extra.writeUInt16LE(8 * numbers.length, 2);
    numbers.forEach((number, at) => extra.writeBigUInt64LE(number, 4 + 8 * at));
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(lies.flags ?? 0x800, 2);
    fields.writeUInt16LE(lies.method ?? (isStored ? 0 : 8), 4);
    fields.writeUInt32LE(lies.crc ?? crc32(plain), 10);
    fields.writeUInt32LE(lies.compressedBytes ?? packed.length, 14);
    fields.writeUInt32LE(lies.bytes ?? plain.length, 18);
    fields.writeUInt16LE(name.length, 22);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(mode === undefined ? 20 : 0x0314, 4);
    fields.copy(entry, 6);
    entry.writeUInt32LE(((mode ?? 0) << 16) >>> 0, 38);
    entry.writeUInt16LE(extra.length, 30);
    if (large.compressedBytes !== undefined) entry.writeUInt32LE(0xffffffff, 20);
    if (large.bytes !== undefined) entry.writeUInt32LE(0xffffffff, 24);
    entry.writeUInt32LE(large.offset === undefined ? (lies.offset ?? position) : 0xffffffff, 42);
    directory.push(entry, name, extra);
    const local = [Uint8Array.of(0x50, 0x4b, 3, 4), fields, name, packed];
    parts.push(...local);
    position += local.reduce((sum, part) => sum + part.length, 0);
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(position, 16);
  return Buffer.concat([...parts, listed, end]);
}

export interface TarMember {
  path: string;
  content?: string | Uint8Array;
  /** `0` a file, `1` a hard link, `2` a symbolic one, `3` a device, `5` a folder, `g`, `x` and `L` headers. */
  type?: string;
  target?: string;
  /** False values for the header. */
  lies?: { bytes?: number; size?: string | Uint8Array; checksum?: number };
}

/** A tar with these members; `isEnded: false` omits its end. */
export function makeTar(members: TarMember[], { isEnded = true } = {}): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const { path, content = "", type = "0", target = "", lies = {} } of members) {
    const body = bytesOf(content);
    const header = Buffer.alloc(512);
    header.write(path, 0, 100);
    header.write("0000644\0", 100);
    header.set(bytesOf(lies.size ?? `${(lies.bytes ?? body.length).toString(8).padStart(11, "0")}\0`), 124);
    header.write(`${"0".repeat(11)}\0`, 136);
    header.write(type, 156);
    header.write(target, 157, 100);
    header.write("ustar\u000000", 257, "latin1");
    header.fill(" ", 148, 156);
    const sum = header.reduce((all, byte) => all + byte, 0);
    header.write(`${(lies.checksum ?? sum).toString(8).padStart(6, "0")}\0 `, 148);
    parts.push(header, body, Buffer.alloc((512 - (body.length % 512)) % 512));
  }
  return Buffer.concat([...parts, ...(isEnded ? [Buffer.alloc(1024)] : [])]);
}

/** A tar in gzip. */
export const makeTarGz = (members: TarMember[]): Uint8Array => gzipSync(makeTar(members));

/** The body of a pax header: fields after their lengths. */
export function paxFields(fields: Record<string, string>): string {
  return Object.entries(fields)
    .map(([name, value]) => {
      const rest = ` ${name}=${value}\n`;
      const bytes = Buffer.byteLength(rest);
      const digits = String(bytes + String(bytes + 2).length).length;
      return `${bytes + digits}${rest}`;
    })
    .join("");
}
