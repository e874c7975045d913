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

const bytesOf = (content: string | Uint8Array): Uint8Array => Buffer.from(content as string);

function extraField(id: number, body: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(id);
  head.writeUInt16LE(body.length, 2);
  return Buffer.concat([head, body]);
}

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
    let extra: Uint8Array = new Uint8Array();
    if (numbers.length > 0) extra = extraField(1, Buffer.from(BigUint64Array.from(numbers).buffer));
    if (lies.unicodePath !== undefined) {
      const start = Buffer.from([1, 0, 0, 0, 0]);
      start.writeUInt32LE(crc32(name), 1);
      extra = extraField(0x7075, Buffer.concat([start, Buffer.from(lies.unicodePath)]));
    }
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
    const local = Buffer.concat([Buffer.from("PK\u0003\u0004"), fields, name, packed]);
    parts.push(local);
    position += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\u0005\u0006");
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

/** A tar with these members. */
export function makeTar(members: TarMember[]): Uint8Array {
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
  return Buffer.concat([...parts, Buffer.alloc(1024)]);
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
