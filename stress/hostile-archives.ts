// Reads archives with invalid numbers or many links. An archive of 204 bytes once consumed all memory.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32, deflateRawSync, gzipSync } from "node:zlib";
import { MIB } from "../src/content/limits.ts";
import { makeTar, makeZip, paxFields, type TarMember, type ZipMember } from "../test/support/archives.ts";
import { judgeAll, type Judgement } from "./judgement.ts";
import { runMeasured } from "./peak-memory.ts";

const MAX_MEMORY_MB = 400;
/** A read takes milliseconds. An endless one would also consume all memory. */
const DEADLINE_MS = 20_000;
const BAD_INPUT = 3;
/** The error for links beyond their limit, with exit code 1. */
const TOO_MANY_LINKS = "lead through too many other links";

const lesson = { path: "01-part/01-a.md", content: "One." };
const base256 = (...bytes: number[]): Uint8Array => Uint8Array.of(0x80, ...Array(11 - bytes.length).fill(0), ...bytes);

const EMPTY_BLOCK = Uint8Array.of(0, 0, 0, 0xff, 0xff);

const repeat = <T>(count: number, toPart: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => toPart(n));

const records = [
  "1.5",
  "0.1",
  "-1",
  "-0.5",
  "NaN",
  "Infinity",
  "-Infinity",
  "0x10",
  "1e1",
  "1e400",
  "",
  "9".repeat(30),
];
const fields: (string | Uint8Array)[] = [
  "1.5\0",
  "-1\0",
  "NaN\0",
  "0x7\0",
  "1e3\0",
  "99999999999\0",
  new Uint8Array(12).fill(0xff),
  base256(0x20, 0, 0, 0, 0, 0, 0),
  base256(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
  base256(0x1f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
];
const large = [2n ** 53n - 1n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n];
const DEEP = Array.from({ length: 30 }, () => "d".repeat(32));
/** Links, each through many names, beside many patterns of ignored files: these once took 13 ms each. */
const manyLinks: TarMember[] = [
  lesson,
  { path: ".lecternignore", content: repeat(1000, (n) => `*${n}*q*${n}*z*r*s*t*${n}\n`).join("") },
  { path: "x", type: "x", content: paxFields({ path: [...DEEP, "f.txt"].join("/") }) },
  { path: "f.txt", content: "" },
  { path: "x", type: "x", content: paxFields({ linkpath: DEEP.join("/") }) },
  { path: "s", type: "2", target: "s" },
  ...repeat(2500, (n): TarMember[] => [
    { path: "x", type: "x", content: paxFields({ linkpath: `../s${`/../${DEEP[0]}`.repeat(27)}/f.txt` }) },
    { path: `img/${n}.png`, type: "2", target: "f" },
  ]).flat(),
];
const extend = (record: Record<string, string>): TarMember => ({ path: "x", type: "x", content: paxFields(record) });
/** Links to a missing file, through links between names of combining marks: these once took 60 to 150 ms each. */
const linkThroughMarks = (marks: string): TarMember[] => {
  const names = repeat(37, (n) => `${n}${marks}`);
  return [
    { ...lesson, content: repeat(400, (n) => `[x](s/${n})\n`).join("") },
    { path: "01-part/b/f.txt", content: "" },
    ...["s", ...names].flatMap((name, n): TarMember[] => [
      extend({ path: `01-part/${name}`, linkpath: names[n] ?? "b" }),
      { path: `01-part/l${n}`, type: "2", target: "b" },
    ]),
  ];
};
const LONG_NAME = "d".repeat(32);
const LONG_FOLDER = Array.from({ length: 30 }, () => LONG_NAME).join("/");
/** Links by a long way, in folders that links repeat: these once took 1.4 ms each time. */
const linkedLinks: TarMember[] = [
  lesson,
  { path: "01-part/f.txt" },
  ...["1", "2", "f.txt"].flatMap((to, n): TarMember[] => {
    const way = `../${LONG_NAME}/`.repeat(26);
    return [extend({ path: `${LONG_FOLDER}/${n}`, linkpath: way + to }), { path: "x", type: "2" }];
  }),
  extend({ path: `${LONG_FOLDER}/f.txt` }),
  { path: "x", content: "x" },
  extend({ path: "01-part/s", linkpath: `../${LONG_FOLDER}/0` }),
  { path: "x", type: "2" },
  ...repeat(1000, (n): TarMember => ({ path: `01-part/l${n}.png`, type: "2", target: "s" })),
  ...repeat(50, (n): TarMember => ({ path: `${n + 10}-part`, type: "2", target: "01-part" })),
];
/** Links to nothing, through links that lead through a file: these once took 0.3 ms each time. */
const linksThroughFile: TarMember[] = [
  lesson,
  ...repeat(41, (n): TarMember[] => [
    extend({ linkpath: `s${n + 1}.png/${"a/".repeat(508)}` }),
    { path: `01-part/s${n}.png`, type: "2" },
  ]).flat(),
  ...repeat(300, (n): TarMember => ({ path: `01-part/${n}.png`, type: "2", target: "s0.png" })),
  ...repeat(80, (n): TarMember => ({ path: `${n + 10}-part`, type: "2", target: "01-part" })),
];
/** Files of one byte after long headers: each once kept a part of 256 KB in memory. */
const longHeaders: TarMember[] = [
  lesson,
  ...repeat(1500, (n): TarMember[] => [
    extend({ comment: "c".repeat(259_500) }),
    { path: `${n}.txt`, content: "x" },
  ]).flat(),
];
const tars: TarMember[][] = [
  linkedLinks,
  linksThroughFile,
  linkThroughMarks("\u0301".repeat(490) + "\u0316".repeat(490)),
  linkThroughMarks(`a${"\u0301\u0316".repeat(15)}`.repeat(32)),
  longHeaders,
  manyLinks,
  ...["x", "g"].flatMap((type) => records.map((size) => [{ path: "pax", type, content: paxFields({ size }) }, lesson])),
  ...["0", "L", "x", "5", "2", "1"].flatMap((type) =>
    fields.map((size) => [{ ...lesson, type, lies: { size } }, lesson]),
  ),
  ...["-8 a=b\n", "8.5 a=b\n", "1e9 a=b\n", "0 a=b\n", "a=b\n"].map((content) => [
    { path: "x", type: "x", content },
    lesson,
  ]),
];
const zips: ZipMember[][] = large.flatMap((number) =>
  [{ bytes: number }, { compressedBytes: number }, { offset: number }].map((zip64) => [{ ...lesson, lies: { zip64 } }]),
);

/** Links that are all the same member, a short target in 1.5 MB of deflate blocks: these once took 2 ms each. */
function makeSharedLinks(): ZipMember[] {
  const target = "01-a.md";
  const content = Buffer.concat([...repeat(300_000, () => EMPTY_BLOCK), deflateRawSync(target)]);
  const lies = { method: 8, bytes: target.length, crc: crc32(target), compressedBytes: content.length };
  const link = { isStored: true, mode: 0o120777 };
  return [
    { ...link, path: "l", content, lies },
    ...repeat(20_000, (n) => ({ ...link, path: `l${n}.png`, lies: { ...lies, offset: 0 } })),
  ];
}

/** ZIPs whose 64-bit directory begins after their end. The comment of the second shows another place. */
function makeFarZips(): Uint8Array[] {
  const place = (signature: string, bytes: number, offset: bigint, at: number): Uint8Array => {
    const part = Buffer.alloc(bytes);
    part.write(signature);
    part.writeBigUInt64LE(offset, at);
    return part;
  };
  const locate = (offset: number): Uint8Array => place("PK\u0006\u0007", 20, BigInt(offset), 8);
  const zip = makeZip([lesson]);
  const [members, end] = [zip.subarray(0, -22), Uint8Array.from(zip.subarray(-22))];
  const far = [place("PK\u0006\u0006", 56, 2n ** 64n - 1n, 48), locate(members.length), end];
  const hidden = [locate(2 ** 53), end.with(20, 24), locate(0), Buffer.from("PK\u0005\u0006")];
  return [far, hidden].map((parts) => Buffer.concat([members, ...parts]));
}

/** Checks each archive in its own process. */
export async function checkHostileArchives(): Promise<Judgement[]> {
  const folder = mkdtempSync(join(tmpdir(), "lectern-archives-"));
  const archives = [
    ...tars.map((members) => makeTar(members)),
    ...[...zips, makeSharedLinks()].map((members) => makeZip(members)),
    ...makeFarZips(),
  ];
  const faults: string[] = [];
  let mostMb = 0;
  // Leaves processors to others.
  const check = async (name: string, bytes: Uint8Array): Promise<void> => {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    const { peakBytes, exitCode, stdout, stderr } = await runMeasured(["check", path], {}, { deadlineMs: DEADLINE_MS });
    mostMb = Math.max(mostMb, peakBytes / MIB);
    // Folders and links have no content, so some invalid sizes in them are harmless.
    if (peakBytes / MIB > MAX_MEMORY_MB || (![0, BAD_INPUT].includes(exitCode) && !stderr.includes(TOO_MANY_LINKS)))
      faults.push(`${name}: exit code ${exitCode}, ${(peakBytes / MIB).toFixed(0)} MB: ${stdout.slice(0, 200)}`);
  };
  for (const [index, bytes] of archives.entries()) {
    const isTar = index < tars.length;
    await check(`${index}.${isTar ? "tar" : "zip"}`, bytes);
    if (isTar && index % 10 === 0) await check(`${index}.tgz`, gzipSync(bytes));
  }
  rmSync(folder, { recursive: true });
  const promise = `check: ${archives.length} archives with invalid numbers or many links are read or refused, in ${mostMb.toFixed(0)} MB at most (below ${MAX_MEMORY_MB})`;
  return [judgeAll(promise, faults)];
}
