import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { lstatSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { DEFAULT_ARCHIVE_LIMITS, DEFAULT_LIMITS, MIB, type ArchiveLimits } from "../../src/content/limits.ts";
import { LinkedFiles } from "../../src/publishing/linked-files.ts";
import { makeTar, makeTarGz, makeZip, paxFields, type TarMember, type ZipMember } from "../support/archives.ts";
import { runCommand } from "../support/command.ts";
import { waitFor } from "../support/server.ts";
import { outlineOf, readFolder, writeFolder } from "../support/written-folder.ts";

/** Reads an archive whole. Problems come as they are printed, without the folder's path. */
async function readArchive(name: string, bytes: Uint8Array, limits: Partial<ArchiveLimits> = {}) {
  const given = { ...DEFAULT_LIMITS, archive: { ...DEFAULT_ARCHIVE_LIMITS, ...limits } };
  const path = join(writeFolder({ [name]: bytes }), name);
  return readFolder(path, undefined, { limits: given, files: new LinkedFiles("relative", MIB) });
}

/** Expects that nothing is read of an archive but this problem, or one that contains it. */
async function expectRefused(name: string, bytes: Uint8Array, problem: string | RegExp, limits = {}): Promise<void> {
  const { problems, courses } = await readArchive(name, bytes, limits);
  const told = typeof problem === "string" ? expect.stringContaining(problem) : expect.stringMatching(problem);
  expect({ problems, courses }).toEqual({ problems: [told], courses: [] });
}

const zip = (members: ZipMember[]) => readArchive("a.zip", makeZip(members));
const tar = (members: TarMember[]) => readArchive("a.tar", makeTar(members));
const membersOf = (files: Record<string, string>, folder = "") =>
  Object.entries(files).map(([path, content]) => ({ path: folder + path, content }));

const BOOK = {
  "book.toml": '[book]\ntitle = "Tea"\n',
  "src/SUMMARY.md": "# Summary\n\n- [Water](water.md)\n  - [Hot](water/hot.md)\n",
  "src/water.md": "Wet.",
  "src/water/hot.md": "# Hot\n\nSteam.",
};
type Lies = NonNullable<ZipMember["lies"]>;
const ONE = { path: "01-part/01-a.md", content: "One." };
const TWO = { path: "01-part/02-b.md", content: "Two." };
const NUMBERED = { "01-part/01-a.md": "One.", "01-part/02-b.md": "Two.", "02-rest/01-c.html": "<p>Three." };

describe("an archive is read like the folder that was packed", () => {
  test.each([
    ["tea.zip", makeZip],
    ["tea.tar", makeTar],
    ["tea.tgz", makeTarGz],
    ["download", makeTarGz],
  ])("%s with a book in its only top-level folder, as code hosts pack it", async (name, make) => {
    const folder = await readFolder(writeFolder(BOOK));
    const { courses, problems } = await readArchive(name, make(membersOf(BOOK, "tea-3f9a2c1/")));
    expect(problems).toEqual([]);
    expect(courses).toEqual(folder.courses);
    expect(courses.map(outlineOf)).toEqual([[["Water", "Water", "Hot"]]]);
  });

  test.each<[what: string, members: ZipMember[], courses: string[]]>([
    ["a single chapter", [ONE], ["Tea . 1"]],
    ["a course in a folder", membersOf(NUMBERED, "2024-tea/"), ["Tea . 2"]],
    ["two courses", ["tea", "milk"].flatMap((name) => membersOf(NUMBERED, `a/${name}/`)), ["Milk milk 2", "Tea tea 2"]],
    ["files of macOS", [...membersOf(NUMBERED, "tea/"), { path: "__MACOSX/tea/01-part/._01-a.md" }], ["Tea . 2"]],
  ])("with %s", async (_, members, told) => {
    const { courses, problems } = await readArchive("tea.zip", makeZip(members));
    expect(problems).toEqual([]);
    expect(courses.map(({ name, sourcePath, chapters }) => `${name} ${sourcePath} ${chapters.length}`)).toEqual(told);
  });

  test("names in NFD, in a legacy code page, in a field for Unicode, or with backslashes", async () => {
    const { lessons, problems } = await zip([
      { path: "SUMMARY.md", content: "- [Café](caf%C3%A9.md)\n- [Über](über.md)\n- [In](in/a.md)\n- [茶](茶.md)\n" },
      { path: "cafe\u0301.md", content: "Coffee." },
      { path: Uint8Array.of(0x81, 0x62, 0x65, 0x72, 0x2e, 0x6d, 0x64), content: "Over.", lies: { flags: 0 } },
      { path: "in\\a.md", content: "Inside." },
      { path: "_.md", content: "Tea.", lies: { flags: 0, unicodePath: "茶.md" } },
    ]);
    expect(problems).toEqual([]);
    expect(lessons.map(({ sourcePath }) => sourcePath)).toEqual(["café.md", "über.md", "in/a.md", "茶.md"]);
  });

  test("long names in a tar come from their own headers", async () => {
    const path = `01-part/01-${"é".repeat(150)}.md`;
    const { lessons, problems } = await tar([
      { path: "pax_global_header", type: "g", content: paxFields({ comment: "3f9a2c1" }) },
      { path: "x", type: "x", content: paxFields({ path }) },
      { path: "01-part/short.md", content: "Pax." },
      { path: "././@LongLink", type: "L", content: `${path.replace("01-part", "02-part")}\0` },
      { path: "02-part/short.md", content: "GNU." },
      { path: "x", type: "x", content: paxFields({ linkpath: path }) },
      { path: "02-part/02-twin.md", type: "1", target: "short" },
    ]);
    expect(problems).toEqual([]);
    expect(lessons.map((lesson) => lesson.additionalText.slice(3, 6))).toEqual(["Pax", "GNU", "Pax"]);
  });

  test("a tar's file whose name, cut at 100 bytes, ends with a slash is no folder", async () => {
    const cut = `01-${"a".repeat(96)}/`;
    const long = { path: "x", type: "x", content: paxFields({ path: `${cut}01-b.md` }) };
    const members = [long, { path: cut, content: "Long." }, { path: "01-part/", content: "" }, ONE];
    const { lessons, problems } = await tar(members);
    expect(problems).toEqual([]);
    expect(lessons.map((lesson) => lesson.additionalText)).toEqual(["<p>Long.</p>\n", "<p>One.</p>\n"]);
  });

  test("a link through more than 200 names, or to more than 1024 characters, leads to nothing", async () => {
    const link = (type: string, linkpath: string, content = "One."): TarMember[] => [
      { ...ONE, content },
      { path: "x", type: "x", content: paxFields({ linkpath }) },
      { path: "01-part/02-b.md", type, target: "long" },
    ];
    const through = (times: number) => link("2", `${"../01-part/./".repeat(times)}01-a.md`);
    expect((await tar(through(65))).lessons).toHaveLength(2);
    expect((await tar(through(70))).problems[0]).toContain("01-part/02-b.md: error: is a link that points to nothing");
    const slow = "\u0315\u0316".repeat(50_000);
    expect((await tar(link("1", slow))).problems).toEqual([expect.stringContaining("is a hard link to")]);
    expect((await tar(link("1", ONE.path, `[x](${slow})`))).problems[0]).toContain("points to a missing file");
    await expectRefused("a.zip", makeZip([{ path: "a".repeat(1025) }]), "has a path of more than 1024 characters");
  });
});

describe("an invalid archive ends in an error that names the cause", () => {
  const TWICE = "appears twice in the archive; rename or remove one";
  test.each([
    ["points up", "01-part/../../b.md", "has a path with .., which points outside the archive"],
    ["is absolute", "/etc/b.md", "has an absolute path, which points outside the archive"],
    ["names a drive", "C:/b.md", "has an absolute path, which points outside the archive"],
    ["holds a control character", "01-part/\u001bb.md", "has a control character in its path; rename it"],
    ["is not UTF-8", "01-part/\uFFFD.md", "has a path that is not UTF-8; rename it"],
    ["is duplicated", ONE.path, TWICE],
    ["is a file and a folder", `${ONE.path}/b.md`, "is in folder 01-a.md, but the archive also contains a file of"],
  ])("a path that %s", async (_, path, message) => {
    const members = [ONE, { path, content: "x" }];
    const problem = `/${path.replace("\u001b", " ")}: error: ${message}`;
    await expectRefused("a.zip", makeZip(members), `a.zip${problem}`);
    await expectRefused("a.tar", makeTar(members), `a.tar${problem}`);
  });

  test("names that are equal in NFC and NFD, but those that differ in letter case are a warning", async () => {
    const members = ["01-part/02-\u00e9.md", "01-part/02-e\u0301.md"].map((path) => ({ path }));
    await expectRefused("a.zip", makeZip([ONE, ...members]), `a.zip/01-part/02-e\u0301.md: error: ${TWICE}`);
    const { problems, lessons } = await zip([ONE, TWO, { path: "01-part/02-B.md", content: "B" }]);
    expect(problems).toEqual([
      "a.zip/01-part/02-B.md: warning: differs from 01-part/02-b.md only in letter case; some systems unpack only one of them",
    ]);
    expect(lessons.map((lesson) => lesson.additionalText)).toEqual(["<p>One.</p>\n", "<p>B</p>\n", "<p>Two.</p>\n"]);
  });

  const lying = (lies: Lies, more: Partial<ZipMember> = {}): ZipMember[] => [{ ...ONE, ...more, lies }];
  const two = (lies: Lies): ZipMember[] => [ONE, { path: "b.md", content: "x", lies }];
  test.each<[what: string, members: ZipMember[], problem: string]>([
    ["an encrypted member", lying({ flags: 0x801 }), "is encrypted; pack the archive without a password"],
    ["strong encryption", two({ flags: 0x841 }), "strong encryption is not supported"],
    ["another compression", lying({ method: 12 }), 'method 12; only "deflate" and "store" are supported'],
    ["a device", [{ ...ONE, mode: 0o060644 }], "is a device, a pipe or a socket, not a file"],
    ["overlapping members", two({ offset: 0 }), "shares bytes with another member, as in a zip bomb"],
    ["a member that ends beyond the end", lying({ compressedBytes: 5000 }), "extends beyond the end of the archive"],
    ["stored bytes of another number", lying({ bytes: 5 }, { isStored: true }), "is damaged or truncated"],
    ["another checksum", lying({ crc: 1 }), "it is damaged: its checksum (CRC-32) does not match"],
    ["one of an image", [{ ...ONE, content: "![](b)" }, ...lying({ crc: 1 }, { path: "01-part/b" })], "its checksum"],
    ["more bytes than it says", lying({ bytes: 3 }, { content: "x".repeat(1e6) }), "cannot be read: "],
    ["a packed size of 2^64 - 1", lying({ zip64: { compressedBytes: 2n ** 64n - 1n } }), "invalid size or offset"],
  ])("a ZIP with %s", async (_, members, problem) => {
    await expectRefused("a.zip", makeZip(members), problem);
  });

  const AFTER_ONE = "after 01-part/01-a.md";
  const pax = (content: string): TarMember => ({ path: "x", type: "x", content });
  test.each<[what: string, second: TarMember, problem: string]>([
    ["a backslash in a path", { path: "01-part\\..\\..\\b.md" }, "has a backslash in its path; use / instead"],
    ["a device", { path: "dev/sda", type: "4" }, "dev/sda: error: is a device or a pipe, not a file"],
    ["a file with holes", { path: "holes", type: "S" }, "holes: error: has an unsupported type: SparseFile"],
    ["holes by a header", pax(paxFields({ "GNU.sparse.map": "1" })), `it contains a sparse file ${AFTER_ONE}`],
    ["a link out of it", { path: "b.md", type: "1", target: "../x" }, "a hard link to ../x, which is not an earlier"],
    ["another checksum", { path: "b.md", lies: { checksum: 1 } }, `is damaged or not a supported archive ${AFTER_ONE}`],
    ["a size beyond the end", { path: "b.md", lies: { bytes: 5e8 } }, "a.tar: error: is truncated after b.md"],
    ["a long header", { ...pax(""), lies: { bytes: 5e8 } }, `error: has a header that is too long ${AFTER_ONE}`],
  ])("a tar with %s", async (_, second, problem) => {
    // Headers of the kind x are of what follows them.
    const members = second.type === "x" ? [ONE, second, { path: "c.md" }] : [ONE, second];
    await expectRefused("a.tar", makeTar(members), problem);
  });

  const FEWER = "contains more entries than its end record states; pack it again";
  const CUT = makeTar(membersOf(NUMBERED)).subarray(0, 2048);
  test.each<[name: string, bytes: Uint8Array, problem?: string]>([
    ["cut.zip", makeZip([ONE]).subarray(0, 60)],
    ["cut.tgz", makeTarGz([ONE]).subarray(0, 80)],
    ["checksum.tgz", makeTarGz([ONE]).subarray(0, -4)],
    ["broken.tgz", makeTarGz([ONE]).fill(0, 40, 60)],
    ["empty.zip", new Uint8Array()],
    ["text.zip", Buffer.from("This is no archive at all.".repeat(100))],
    ["count.zip", makeZip([ONE], { count: 3 })],
    // Other programs would read the end of these differently.
    ["few.zip", makeZip(membersOf(NUMBERED), { count: 2 }), FEWER],
    ["after.tgz", gzipSync(CUT), "is truncated after 01-part/02-b.md"],
    ["nothing.tar", makeTar([]), "contains no course"],
  ])("%s, truncated or another file", (name, bytes, problem = "is (?:no archive|an empty file|truncated|damaged)") =>
    expectRefused(name, bytes, new RegExp(`^${name}: error: ${problem}`)),
  );

  test("bytes after the end of a tar are skipped with a warning, unless they are NULs", async () => {
    const warning =
      "warning: contains data after the end of the archive, and this data is skipped; pack several archives into one";
    const second = makeTar([TWO]);
    for (const [name, pack] of Object.entries({ "a.tar": (bytes: Buffer) => bytes, "a.tgz": gzipSync })) {
      const joined = await readArchive(name, pack(Buffer.concat([makeTar([ONE]), second])));
      expect([joined.problems, joined.lessons.length]).toEqual([[`${name}: ${warning}`], 1]);
      const padded = await readArchive(name, pack(Buffer.concat([makeTar([ONE]), Buffer.alloc(10_240)])));
      expect(padded.problems).toEqual([]);
    }
    const members = await readArchive("a.tgz", Buffer.concat([makeTarGz([ONE]), gzipSync(second)]));
    expect(members.problems).toEqual([`a.tgz: ${warning}`]);
  });
});

describe("an invalid size in an archive is refused", () => {
  const message = "a.tar: error: has an invalid size";
  const malformed = "a.tar: error: has a malformed extended header";
  const written = ["1.5", "0.5", "-1", "NaN", "Infinity", "0x10", "1e1", "", " 4", "4 ", "+4", "9007199254740992"];
  test.each(["x", "g"])("of one member (header x) or of all following members (g): %s", async (type) => {
    for (const size of written) {
      const header = { path: "pax", type, content: paxFields({ size }) };
      await expectRefused("a.tar", makeTar([header, ONE]), message);
      await expectRefused("a.tar", makeTar([ONE, header, TWO]), `${message} after 01-part/01-a.md`);
    }
    const lengths = ["12 size=4\n", "size=4\n", "-10 size=4\n", "9.5 size=4\n", "99999 size=4\n", "7 size\n"];
    for (const content of lengths)
      await expectRefused("a.tar", makeTar([{ path: "pax", type, content }, ONE]), malformed);
  });

  const SIZED = paxFields({ size: "4" });
  test.each(["x", "g", "X"])("an extended header of type %s ends after its last record or with NULs", async (type) => {
    const read = async (rest: string) => (await tar([{ path: "x", type, content: SIZED + rest }, ONE])).problems;
    expect(await read("\0".repeat(7))).toEqual([]);
    for (const rest of ["x", "9", " ", "\n", `\0${SIZED}`, "9 size=6"]) expect(await read(rest)).toEqual([malformed]);
  });

  test.each([
    ["a negative size", new Uint8Array(12).fill(0xff)],
    ["2^53", Uint8Array.of(0x80, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0)],
  ])("a header with %s in base 256", async (_, size) => {
    const problem = /^a\.tar: error: (?:has an invalid size|is damaged or not a supported archive)/;
    await expectRefused("a.tar", makeTar([{ ...ONE, lies: { size } }]), problem);
    const named = { path: "././@LongLink", type: "L", content: "x", lies: { size } };
    await expectRefused("a.tar", makeTar([named, ONE]), problem);
  });

  test.each<[what: string, bytes: Uint8Array]>([
    ["in base 256", makeTar([{ ...ONE, lies: { size: Uint8Array.of(0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4) } }])],
    [
      "in a header",
      makeTar([
        { path: "x", type: "x", content: SIZED },
        { ...ONE, lies: { bytes: 4000 } },
      ]),
    ],
    ["of 64 bits in a ZIP", makeZip([{ ...ONE, lies: { zip64: { bytes: 4n } } }])],
    ["of a hard link", makeTar([{ path: "a" }, { path: "b", type: "1", target: "a", lies: { bytes: 600 } }, ONE])],
  ])("but a valid size %s is read", async (_, bytes) => {
    const { problems, lessons } = await readArchive("a", bytes);
    expect([problems, lessons[0]?.additionalText]).toEqual([[], "<p>One.</p>\n"]);
  });
});

describe("an error for an exceeded archive limit names the member and the setting", () => {
  test.each<[limits: Partial<ArchiveLimits>, path: string, content: string | Uint8Array, problem: RegExp]>([
    [{ maxBytes: 2048 }, "b.bin", new Uint8Array(2049), /b\.bin: error: too large: .* 0\.1 MiB \(--max-archive-size\)/],
    [{ maxMembers: 2 }, "c", "", /error: too many files: .* to 2 files and folders \(--max-archive-members\)/],
    // Folders that only paths name count, too.
    [{ maxMembers: 3 }, "b/c/d", "", /b\/c\/d: error: too many files: /],
    [{ maxMembers: 2 }, "\ufb2c".repeat(90), "", /error: too many files: /],
    [{ maxDepth: 3 }, "a/b/c/d", "", /a\/b\/c\/d: error: too deep: .* to 3 names \(--max-archive-depth\)/],
    [{ maxRatio: 10 }, "zeros", new Uint8Array(17 * MIB), /zeros: error: unpacks to .* \(--max-archive-ratio\)/],
  ])("%j", async (limits, path, content, problem) => {
    const members = [ONE, { path, content }];
    await expectRefused("a.zip", makeZip(members), problem, limits);
    await expectRefused("a.tgz", makeTarGz(members), problem, limits);
  });

  test("is a flag of import and check", async () => {
    const root = writeFolder({ "a.zip": makeZip([ONE, { path: "b/c", content: "" }]) });
    const check = (...flags: string[]) => runCommand(["check", "a.zip", ...flags], { cwd: root });
    expect((await check()).exitCode).toBe(0);
    for (const flag of ["--max-archive-members", "--max-archive-depth"]) {
      expect(await check(flag, "1")).toMatchObject({ exitCode: 3, stdout: expect.stringContaining(`(${flag})`) });
    }
    expect((await check("--max-archive-ratio", "1")).exitCode).toBe(2);
  });
});

describe.if(process.platform === "linux")("while it is read,", () => {
  const listOpen = (): string[] =>
    readdirSync("/proc/self/fd").flatMap((name) => {
      // The listing's own file is closed by now.
      const link = join("/proc/self/fd", name);
      return lstatSync(link, { throwIfNoEntry: false }) ? [readlinkSync(link)] : [];
    });

  test("a refused archive leaves no file open", async () => {
    const members = [{ path: "../a" }, { path: "big.bin", content: randomBytes(MIB) }];
    for (const [name, make] of Object.entries({ "a.tar": makeTar, "a.tgz": makeTarGz, "a.zip": makeZip }))
      await expectRefused(name, make(members), "has a path with ..");
    await waitFor(() => !listOpen().some((path) => /\/a\.(?:tar|tgz|zip)$/.test(path)));
  });

  test("a gzipped tar is a file without a name, so that nothing remains, however the command ends", async () => {
    const path = join(writeFolder({ "a.tgz": makeTarGz(membersOf(NUMBERED)) }), "a.tgz");
    const countNameless = () => listOpen().filter((link) => /\/lectern-\w+\/unpacked \(deleted\)$/.test(link)).length;
    let during = 0;
    await readFolder(path, undefined, {}, async () => void (during = countNameless()));
    expect([during, countNameless()]).toEqual([1, 0]);
  });
});
