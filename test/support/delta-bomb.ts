// A bare repository whose pack of a few bytes says that one of its files has gigabytes.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";

const [COMMIT, TREE, BLOB, DELTA] = [1, 2, 3, 7];
const sha1 = (...parts: Uint8Array[]): Buffer => new Bun.CryptoHasher("sha1").update(Buffer.concat(parts)).digest();
const nameOf = (type: string, body: Buffer): Buffer => sha1(Buffer.from(`${type} ${body.length}\0`), body);

/** 7 bits in each byte, from the lowest; the first may have fewer, after `start`. */
function toVarint(value: number, firstBits = 7, start = 0): Buffer {
  const bytes = [start | (value % 2 ** firstBits)];
  for (let rest = Math.floor(value / 2 ** firstBits); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 128;
    bytes.push(rest % 128);
  }
  return Buffer.from(bytes);
}

const toUint32 = (...numbers: number[]): Buffer => {
  const buffer = Buffer.alloc(4 * numbers.length);
  numbers.forEach((number, at) => buffer.writeUInt32BE(number, 4 * at));
  return buffer;
};

/** Makes `bare`, an empty repository with the branch main, hold a file of `bytes` bytes (gitformat-pack(5)). */
export function plantBomb(bare: string, bytes: number): void {
  const base = Buffer.from("# A\n");
  const baseName = nameOf("blob", base);
  // No object has this name: Git makes the file before it compares.
  const bombName = sha1(base);
  const tree = Buffer.concat([Buffer.from("100644 01-a.md\0"), baseName, Buffer.from("100644 02-b.md\0"), bombName]);
  const treeName = nameOf("tree", tree);
  const commit = Buffer.from(
    `tree ${treeName.toString("hex")}\nauthor a <a@b> 1700000000 +0000\ncommitter a <a@b> 1700000000 +0000\n\nx\n`,
  );
  const commitName = nameOf("commit", commit);
  const delta = Buffer.concat([toVarint(base.length), toVarint(bytes), Buffer.from([0x90, base.length])]);
  const pack = (type: number, body: Buffer, before: Buffer = Buffer.alloc(0)): Buffer =>
    Buffer.concat([toVarint(body.length, 4, type << 4), before, deflateSync(body)]);
  const objects: [name: Buffer, packed: Buffer][] = [
    [baseName, pack(BLOB, base)],
    [bombName, pack(DELTA, delta, baseName)],
    [treeName, pack(TREE, tree)],
    [commitName, pack(COMMIT, commit)],
  ];
  const content = Buffer.concat([Buffer.from("PACK"), toUint32(2, objects.length), ...objects.map(([, each]) => each)]);
  const packName = sha1(content);
  let offset = 12;
  const listed = objects
    .map(([name, packed]) => ({ name, crc: crc32(packed), offset: (offset += packed.length) - packed.length }))
    .sort((a, b) => a.name.compare(b.name));
  const fanout = Array.from({ length: 256 }, (_, byte) => listed.filter(({ name }) => (name[0] ?? 0) <= byte).length);
  const index = Buffer.concat([
    Buffer.from([0xff, 0x74, 0x4f, 0x63]),
    toUint32(2, ...fanout),
    ...listed.map(({ name }) => name),
    toUint32(...listed.map(({ crc }) => crc)),
    toUint32(...listed.map((each) => each.offset)),
    packName,
  ]);
  const file = join(bare, "objects/pack", `pack-${packName.toString("hex")}`);
  mkdirSync(join(bare, "objects/pack"), { recursive: true });
  writeFileSync(`${file}.pack`, Buffer.concat([content, packName]));
  writeFileSync(`${file}.idx`, Buffer.concat([index, sha1(index)]));
  mkdirSync(join(bare, "refs/heads"), { recursive: true });
  writeFileSync(join(bare, "refs/heads/main"), `${commitName.toString("hex")}\n`);
}
