import { describe, expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { DEFAULT_ARCHIVE_LIMITS, DEFAULT_LIMITS, type ArchiveLimits } from "../../src/content/limits.ts";
import { makeTar, makeTarGz, makeZip, paxFields, type TarMember, type ZipMember } from "../support/archives.ts";
import { runCommand, runProcess } from "../support/command.ts";
import { listAssetPaths } from "../support/asset-paths.ts";
import { outlineOf, readFolder, writeFolder } from "../support/written-folder.ts";

/** Reads an archive whole. Problems come as they are printed, without the folder's path. */
async function readArchive(name: string, bytes: Uint8Array, limits: Partial<ArchiveLimits> = {}) {
  const root = writeFolder({ [name]: bytes });
  const archive = { ...DEFAULT_ARCHIVE_LIMITS, ...limits };
  return readFolder(join(root, name), undefined, {
    limits: { ...DEFAULT_LIMITS, archive },
  });
}

const zip = (members: ZipMember[], limits?: Partial<ArchiveLimits>) => readArchive("a.zip", makeZip(members), limits);
const tar = (members: TarMember[], limits?: Partial<ArchiveLimits>) => readArchive("a.tar", makeTar(members), limits);
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
const NUMBERED = { "01-part/01-a.md": "One.", "01-part/02-b.md": "Two.", "02-rest/01-c.html": "<p>Three." };

describe("an archive is read like the folder that was packed", () => {
  const kinds: [name: string, make: (members: { path: string; content: string }[]) => Uint8Array][] = [
    ["tea.zip", makeZip],
    ["tea.imscc", makeZip],
    ["tea.tar", makeTar],
    ["tea.tgz", makeTarGz],
    ["tea.tar.gz", makeTarGz],
    ["download", makeZip],
    ["download", makeTarGz],
  ];
  test.each(kinds)("%s with a book in its only top-level folder, as code hosts pack it", async (name, make) => {
    const folder = await readFolder(writeFolder(BOOK));
    const { courses, problems } = await readArchive(name, make(membersOf(BOOK, "tea-3f9a2c1/")));
    expect(problems).toEqual([]);
    expect(courses).toEqual(folder.courses);
    expect(courses.map(outlineOf)).toEqual([[["Water", "Water", "Hot"]]]);
  });

  test("with the files of one course at the top, possibly a single chapter", async () => {
    const whole = await readArchive("tea.zip", makeZip(membersOf(NUMBERED)));
    expect(whole.courses.map(({ name, sourcePath }) => [name, sourcePath])).toEqual([["Tea", "."]]);
    const one = await readArchive("tea.zip", makeZip(membersOf({ "01-part/01-a.md": "One." })));
    expect(one.courses.map((course) => [course.name, ...outlineOf(course)])).toEqual([["Tea", ["Part", "A"]]]);
    const numbered = await readArchive("tea.zip", makeZip(membersOf(NUMBERED, "2024-tea/")));
    expect(numbered.courses.map((course) => [course.name, outlineOf(course).length])).toEqual([["Tea", 2]]);
  });

  test("with several courses", async () => {
    const { courses } = await zip([...membersOf(NUMBERED, "all/tea/"), ...membersOf(NUMBERED, "all/milk/")]);
    expect(courses.map(({ name, sourcePath }) => [name, sourcePath])).toEqual([
      ["Milk", "milk"],
      ["Tea", "tea"],
    ]);
  });

  test("problems name the path inside the archive", async () => {
    const members = membersOf({ "01-part/01-a.md": "[x](missing.md)", "01-part/02-b.md": "---\na: [\n---\n" }, "tea/");
    const { problems, label } = await zip(members);
    expect(label).toBe("archive a.zip");
    expect(problems[0]).toStartWith("a.zip/tea/01-part/01-a.md:1: warning: ");
    expect(problems[1]).toStartWith("a.zip/tea/01-part/02-b.md:3:");
  });

  test("macOS metadata beside each file is ignored", async () => {
    const { courses, problems } = await zip([
      ...membersOf(NUMBERED, "tea/"),
      { path: "__MACOSX/tea/01-part/._01-a.md", content: "\u0000\u0005" },
      { path: "tea/.DS_Store", content: "x" },
    ]);
    expect([courses.length, problems]).toEqual([1, []]);
  });

  test("names in NFD, in a legacy code page, or with backslashes", async () => {
    const summary = "- [Café](caf%C3%A9.md)\n- [Über](über.md)\n- [In](in/a.md)\n";
    const { lessons, problems } = await zip([
      { path: "SUMMARY.md", content: summary },
      { path: "cafe\u0301.md", content: "Coffee." },
      { path: Uint8Array.of(0x81, 0x62, 0x65, 0x72, 0x2e, 0x6d, 0x64), content: "Over.", lies: { flags: 0 } },
      { path: "in\\a.md", content: "Inside." },
    ]);
    expect(problems).toEqual([]);
    expect(lessons.map(({ sourcePath }) => sourcePath)).toEqual(["café.md", "über.md", "in/a.md"]);
  });

  test("long names in a tar come from their own headers", async () => {
    const path = `01-part/01-${"é".repeat(150)}.md`;
    const named = [
      { path: "pax_global_header", type: "g", content: paxFields({ comment: "3f9a2c1" }) },
      { path: "x", type: "x", content: paxFields({ path }) },
      { path: "01-part/short.md", content: "Pax." },
      { path: "././@LongLink", type: "L", content: `${path.replace("01-part", "02-part")}\0` },
      { path: "02-part/short.md", content: "GNU." },
      { path: "x", type: "x", content: paxFields({ linkpath: path }) },
      { path: "02-part/02-twin.md", type: "1", target: "short" },
    ];
    const { lessons, problems } = await tar(named);
    expect(problems).toEqual([]);
    expect(lessons.map(({ additionalText }) => additionalText)).toEqual([
      "<p>Pax.</p>\n",
      "<p>GNU.</p>\n",
      "<p>Pax.</p>\n",
    ]);
  });
});

describe("an invalid archive ends in an error that names the cause", () => {
  const inBoth: [what: string, path: string, message: string][] = [
    ["points up", "01-part/../../b.md", "has a path with .., which points outside the archive"],
    ["is absolute", "/etc/b.md", "has an absolute path, which points outside the archive"],
    ["names a drive", "C:/b.md", "has an absolute path, which points outside the archive"],
    ["holds a control character", "01-part/\u001bb.md", "has a control character in its path; rename it"],
    ["is duplicated", "01-part/01-a.md", "appears twice in the archive; rename or remove one"],
    [
      "is a file and a folder",
      "01-part/01-a.md/b.md",
      "is in folder 01-a.md, but the archive also contains a file of that name",
    ],
  ];
  test.each(inBoth)("a path that %s", async (_, path, message) => {
    const members = [ONE, { path, content: "x" }];
    const shown = path.replace("\u001b", " ");
    for (const [name, { problems, courses }] of [
      ["a.zip", await zip(members)],
      ["a.tar", await tar(members)],
    ] as const) {
      expect(problems).toEqual([`${name}/${shown}: error: ${message}`]);
      expect(courses).toEqual([]);
    }
  });

  test("names that are equal in NFC and NFD", async () => {
    const members = [ONE, { path: "01-part/02-\u00e9.md" }, { path: "01-part/02-e\u0301.md" }];
    expect((await zip(members)).problems).toEqual([
      "a.zip/01-part/02-e\u0301.md: error: appears twice in the archive; rename or remove one",
    ]);
  });

  test("names that differ only in letter case are a warning, since other systems merge them", async () => {
    const { problems, lessons } = await zip([
      ONE,
      { path: "01-part/02-b.md", content: "b" },
      { path: "01-part/02-B.md", content: "B" },
    ]);
    expect(problems).toEqual([
      "a.zip/01-part/02-B.md: warning: differs from 01-part/02-b.md only in letter case; some systems unpack only one of them",
    ]);
    expect(lessons.map((lesson) => lesson.additionalText)).toEqual(["<p>One.</p>\n", "<p>B</p>\n", "<p>b</p>\n"]);
  });

  const lying = (lies: Lies, more: Partial<ZipMember> = {}): ZipMember => ({ ...ONE, ...more, lies });
  const two = (lies: Lies): ZipMember[] => [ONE, { path: "b.md", content: "x", lies }];
  const BEHIND = "extends beyond the end of the archive: the archive is truncated";
  const zips: Record<string, [members: ZipMember[], problem: string]> = {
    "an encrypted member": [[lying({ flags: 0x801 })], "is encrypted; pack the archive without a password"],
    "strong encryption": [two({ flags: 0x841 }), "strong encryption is not supported"],
    "another compression": [[lying({ method: 12 })], 'method 12; only "deflate" and "store" are supported'],
    "a device": [[{ ...ONE, mode: 0o060644 }], "is a device, a pipe or a socket, not a file"],
    "overlapping members": [two({ offset: 0 }), "shares bytes with another member, as in a zip bomb"],
    "a member that ends beyond the end": [[lying({ compressedBytes: 5000 })], BEHIND],
    "a member that begins beyond the end": [[lying({ offset: 1e6 })], BEHIND],
    "stored bytes of another number": [[lying({ bytes: 5 }, { isStored: true })], "is damaged or truncated"],
    "another checksum": [[lying({ crc: 1 })], "it is damaged: its checksum (CRC-32) does not match"],
    "fewer bytes than it says": [[lying({ bytes: 100 })], "cannot be read: "],
    "more bytes than it says": [[lying({ bytes: 3 }, { content: "x".repeat(1e6) })], "cannot be read: "],
    "invalid 64-bit sizes": [[lying({ bytes: 0xffffffff, compressedBytes: 0xffffffff })], "01-a.md: error: "],
  };
  test.each(Object.entries(zips))("a ZIP with %s", async (_, [members, problem]) => {
    const { problems, courses } = await zip(members);
    expect(problems.length).toBe(1);
    expect(problems[0]).toContain("a.zip");
    expect(problems[0]).toContain(": error: ");
    expect(problems[0]).toContain(problem);
    expect(courses).toEqual([]);
  });

  const AFTER_ONE = "after 01-part/01-a.md";
  const SPARSE = `a.tar: error: must be packed without --sparse, since it contains a sparse file ${AFTER_ONE}`;
  test.each<[what: string, second: TarMember, problem: string]>([
    ["a backslash in a path", { path: "01-part\\..\\..\\b.md" }, "has a backslash in its path; use / instead"],
    ["a device", { path: "dev/sda", type: "4" }, "dev/sda: error: is a device or a pipe, not a file"],
    ["a pipe", { path: "pipe", type: "6" }, "pipe: error: is a device or a pipe, not a file"],
    ["a file with holes", { path: "holes", type: "S" }, "holes: error: has an unsupported type: SparseFile"],
    ...["GNU.sparse.major", "GNU.sparse.numblocks", "GNU.sparse.map"].map((name): [string, TarMember, string] => [
      `a file with holes, told by ${name}`,
      { path: "x", type: "x", content: paxFields({ [name]: "1" }) },
      SPARSE,
    ]),
    [
      "a hard link that points outside",
      { path: "b.md", type: "1", target: "../../etc/passwd" },
      "b.md: error: is a hard link to ../../etc/passwd, which is not an earlier file",
    ],
    ["another checksum", { path: "b.md", lies: { checksum: 1 } }, `is damaged or not a supported archive ${AFTER_ONE}`],
    ["a size beyond the end", { path: "b.md", lies: { bytes: 5e8 } }, "a.tar: error: is truncated after b.md"],
    [
      "a header beyond the end",
      { path: "x", type: "x", lies: { bytes: 5e8 } },
      `a.tar: error: has a header that is too long ${AFTER_ONE}`,
    ],
  ])("a tar with %s", async (_, second, problem) => {
    // Headers of the kind x are of what follows them.
    const members = second.type === "x" ? [ONE, second, { path: "c.md" }] : [ONE, second];
    const { problems, courses } = await tar(members);
    expect(problems.length).toBe(1);
    expect(problems[0]).toContain(problem);
    expect(courses).toEqual([]);
  });

  test.each<[name: string, bytes: Uint8Array]>([
    ["cut.zip", makeZip([ONE]).subarray(0, 60)],
    ["cut.tar", makeTar([{ ...ONE, content: "x".repeat(5000) }]).subarray(0, 1024)],
    ["cut.tgz", makeTarGz([ONE]).subarray(0, 80)],
    ["checksum.tgz", makeTarGz([ONE]).subarray(0, -4)],
    ["checksums.tgz", makeTarGz([ONE]).subarray(0, -8)],
    ["broken.tgz", makeTarGz([ONE]).fill(0, 40, 60)],
    ["empty.zip", new Uint8Array()],
    ["text.zip", Buffer.from("This is no archive at all.".repeat(100))],
    ["course.tar", Buffer.from('{"name":"C"}\n')],
    ["count.zip", makeZip([ONE], { count: 3 })],
  ])("%s, truncated", async (name, bytes) => {
    const { problems, courses } = await readArchive(name, bytes);
    expect(problems.length).toBe(1);
    expect(problems[0]).toMatch(new RegExp(`^${name}: error: is (?:no archive|an empty file|truncated|damaged)`));
    expect(courses).toEqual([]);
  });

  test.each<[name: string, bytes: Uint8Array, problem: string]>([
    [
      "few.zip",
      makeZip(membersOf(NUMBERED), { count: 2 }),
      "contains more entries than its end record states; pack it again",
    ],
    [
      "none.zip",
      makeZip(membersOf(NUMBERED), { count: 0 }),
      "contains more entries than its end record states; pack it again",
    ],
    ["cut.tar", makeTar(membersOf(NUMBERED)).subarray(0, 2048), "is truncated after 01-part/02-b.md"],
    ["cut.tgz", gzipSync(makeTar(membersOf(NUMBERED)).subarray(0, 2048)), "is truncated after 01-part/02-b.md"],
    ["page.tar", Buffer.from("<h1>Not found</h1>"), "is damaged or not a supported archive"],
  ])("%s, whose end other programs would read differently", async (name, bytes, problem) => {
    const { problems, courses } = await readArchive(name, bytes);
    expect(problems).toEqual([expect.stringContaining(`${name}: error: ${problem}`)]);
    expect(courses).toEqual([]);
  });

  test("bytes after the end of a tar are skipped with a warning, unless they are NULs", async () => {
    const warning =
      "warning: contains data after the end of the archive, and this data is skipped; pack several archives into one";
    const second = makeTar([{ path: "01-part/02-b.md", content: "Two." }]);
    for (const [name, pack] of [
      ["a.tar", (bytes: Uint8Array) => bytes],
      ["a.tgz", gzipSync],
    ] as const) {
      const joined = await readArchive(name, pack(Buffer.concat([makeTar([ONE]), second])));
      expect([joined.problems, joined.lessons.length]).toEqual([[`${name}: ${warning}`], 1]);
      const padded = await readArchive(name, pack(Buffer.concat([makeTar([ONE]), Buffer.alloc(10_240)])));
      expect(padded.problems).toEqual([]);
    }
    const members = await readArchive("a.tgz", Buffer.concat([makeTarGz([ONE]), gzipSync(second)]));
    expect(members.problems).toEqual([`a.tgz: ${warning}`]);
  });

  test("an empty archive contains no course", async () => {
    expect((await zip([])).problems[0]).toStartWith("a.zip: error: contains no course");
    expect((await tar([])).problems[0]).toStartWith("a.tar: error: contains no course");
  });
});

describe("an invalid size in an archive is refused", () => {
  const message = "a.tar: error: has an invalid size";

  const written = ["1.5", "0.5", "-1", "NaN", "Infinity", "0x10", "1e1", "", " 4", "4 ", "+4", "9007199254740992"];
  test.each(written)("size %p of one member or of all following members", async (size) => {
    for (const type of ["x", "g"]) {
      const header = { path: "pax", type, content: paxFields({ size }) };
      expect(await tar([header, ONE])).toMatchObject({ problems: [message], courses: [] });
      const later = await tar([ONE, header, { path: "01-part/02-b.md", content: "Two." }]);
      expect(later).toMatchObject({ problems: [`${message} after 01-part/01-a.md`], courses: [] });
    }
  });

  const SIZED = paxFields({ size: "4" });
  test.each(["x", "g", "X"])("an extended header of type %s ends after its last record or with NULs", async (type) => {
    const read = (rest: string) =>
      tar([
        { path: "x", type, content: SIZED + rest },
        { path: "01-part/01-a.md", content: "One." },
      ]);
    expect((await read("\0".repeat(7))).problems).toEqual([]);
    for (const rest of ["x", "9", " ", "\n", `\0${SIZED}`, "9 size=6"]) {
      expect((await read(rest)).problems).toEqual(["a.tar: error: has a malformed extended header"]);
    }
  });

  test("a size in an extended header overrides the member's own", async () => {
    const header = { path: "pax", type: "x", content: paxFields({ size: "4" }) };
    const { problems, lessons } = await tar([header, { ...ONE, lies: { bytes: 4000 } }]);
    expect(problems).toEqual([]);
    expect(lessons[0]?.additionalText).toBe("<p>One.</p>\n");
  });

  const fields: [what: string, size: string | Uint8Array][] = [
    ["a negative base-256 size", new Uint8Array(12).fill(0xff)],
    ["a negative base-256 size with another mark", Uint8Array.of(0xc0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)],
    ["2^53 in base 256", Uint8Array.of(0x80, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0)],
    ["2^72 in base 256", Uint8Array.of(0x80, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0)],
    ["a digit that is not octal", "00000000009\0"],
    ["a minus", "-0000000001\0"],
    ["a fraction", "1.5\0"],
    ["a hexadecimal number", "0x10\0"],
    ["two numbers", "4 4\0"],
  ];
  test.each(fields)("a header with %s", async (_, size) => {
    const lies = { size };
    const problem = expect.stringMatching(
      /^a\.tar: error: (?:has an invalid size|is damaged or not a supported archive)/,
    );
    expect(await tar([{ ...ONE, lies }])).toMatchObject({ problems: [problem], courses: [] });
    const named = { path: "././@LongLink", type: "L", content: "x", lies };
    expect(await tar([named, ONE])).toMatchObject({ problems: [problem], courses: [] });
  });

  test.each<[what: string, size: string | Uint8Array]>([
    ["in base 256", Uint8Array.of(0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4)],
    ["surrounded by blanks", "         4 \0"],
    ["without an end", "000000000004"],
  ])("size %s is read", async (_, size) => {
    const { problems, lessons } = await tar([{ ...ONE, lies: { size } }]);
    expect(problems).toEqual([]);
    expect(lessons[0]?.additionalText).toBe("<p>One.</p>\n");
  });

  test.each([
    ["with another length", "12 size=4\n"],
    ["without a length", "size=4\n"],
    ["with a negative length", "-10 size=4\n"],
    ["with a fractional length", "9.5 size=4\n"],
    ["with a length beyond the end", "99999 size=4\n"],
    ["without a value", "7 size\n"],
  ])("record %s of an extended header", async (_, content) => {
    const problems = ["a.tar: error: has a malformed extended header"];
    for (const type of ["x", "g"]) {
      expect(await tar([{ path: "pax", type, content }, ONE])).toMatchObject({ problems, courses: [] });
    }
  });

  test.each<[what: string, zip64: { bytes?: bigint; compressedBytes?: bigint; offset?: bigint }]>([
    ["a size", { bytes: 2n ** 53n }],
    ["a packed size", { compressedBytes: 2n ** 64n - 1n }],
    ["a place", { offset: 2n ** 63n }],
  ])("64-bit %s in a ZIP", async (_, zip64) => {
    const { problems, courses } = await zip([{ ...ONE, lies: { zip64 } }]);
    expect(problems).toEqual(["a.zip/01-part/01-a.md: error: has an invalid size or offset"]);
    expect(courses).toEqual([]);
  });

  test("a 64-bit offset beyond the end of a ZIP", async () => {
    const bytes = Buffer.from(makeZip([ONE]));
    const locator = Buffer.alloc(20);
    locator.write("PK\x06\x07", "latin1");
    locator.writeBigUInt64LE(2n ** 63n, 8);
    const END_BYTES = 22;
    const zip64 = Buffer.concat([bytes.subarray(0, -END_BYTES), locator, bytes.subarray(-END_BYTES)]);
    const { problems, courses } = await readArchive("a.zip", zip64);
    expect(problems).toEqual(["a.zip: error: is damaged or truncated: its directory begins after the end of the file"]);
    expect(courses).toEqual([]);
  });

  test("a valid 64-bit size in a ZIP is read", async () => {
    const { problems, lessons } = await zip([{ ...ONE, lies: { zip64: { bytes: 4n } } }]);
    expect(problems).toEqual([]);
    expect(lessons[0]?.additionalText).toBe("<p>One.</p>\n");
  });
});

describe("an error for an exceeded archive limit names the member and the setting", () => {
  const limitsHit: Record<
    string,
    [limits: Partial<ArchiveLimits>, members: { path: string; content: string | Uint8Array }[], problem: string]
  > = {
    size: [
      { maxBytes: 2048 },
      [ONE, { path: "b.bin", content: new Uint8Array(2049) }],
      "b.bin: error: too large: an unpacked archive is limited to 0.1 MiB (--max-archive-size)",
    ],
    members: [
      { maxMembers: 3 },
      [ONE, { path: "b", content: "" }, { path: "c", content: "" }],
      "c: error: too many files: an archive is limited to 3 files and folders (--max-archive-members)",
    ],
    "folders that only paths name": [
      { maxMembers: 3 },
      [ONE, { path: "b/c/d", content: "" }],
      "b/c/d: error: too many files: ",
    ],
    depth: [
      { maxDepth: 3 },
      [ONE, { path: "a/b/c/d", content: "" }],
      "a/b/c/d: error: too deep: a path in an archive is limited to 3 names (--max-archive-depth)",
    ],
    ratio: [
      { maxRatio: 10 },
      [ONE, { path: "zeros", content: new Uint8Array(17 * 1024 * 1024) }],
      "zeros: error: unpacks to more than 10 times its size, as a zip bomb does (--max-archive-ratio)",
    ],
  };
  test.each(Object.entries(limitsHit))("%s", async (_, [limits, members, problem]) => {
    for (const [name, bytes] of [
      ["a.zip", makeZip(members)],
      ["a.tgz", makeTarGz(members)],
    ] as const) {
      const { problems, courses } = await readArchive(name, bytes, limits);
      expect(problems.length).toBe(1);
      // The directory of a ZIP has the number before any member is read.
      expect(problems[0]).toContain(problem.slice(name === "a.zip" && problem.startsWith("c: ") ? 2 : 0));
      expect(courses).toEqual([]);
    }
  });

  test("is a flag of import and check", async () => {
    const root = writeFolder({ "a.zip": makeZip([ONE, { path: "b/c", content: "" }]) });
    const check = (...flags: string[]) => runCommand(["check", "a.zip", ...flags], { cwd: root });
    expect((await check()).exitCode).toBe(0);
    for (const flag of ["--max-archive-members", "--max-archive-depth"]) {
      const { exitCode, stdout } = await check(flag, "1");
      expect([exitCode, stdout]).toEqual([3, expect.stringContaining(`(${flag})`)]);
    }
    expect((await check("--max-archive-ratio", "1")).exitCode).toBe(2);
  });
});

describe("a gzipped tar is unpacked into an unlinked file", () => {
  test("so that nothing remains, however the command ends", async () => {
    const root = writeFolder({ "a.tgz": makeTarGz(membersOf(NUMBERED)), "temporary/keep": "" });
    const temporary = join(root, "temporary");
    // Ends itself in the middle of reading, as a kill does.
    const main = join(root, "main.ts");
    const source = fileURLToPath(new URL("../../src/content/readers/archive.ts", import.meta.url));
    writeFileSync(
      main,
      `import { readdirSync } from "node:fs";
import { openArchiveSource } from ${JSON.stringify(source)};
for await (const { course } of openArchiveSource(process.argv[2], { assetBase: undefined }).read(console.error)) {
  await Bun.write(Bun.stdout, course.name + " " + readdirSync(process.env.TMPDIR).join() + "\\n");
  process.kill(process.pid, "SIGKILL");
}`,
    );
    const { stdout, stderr, exitCode } = await runProcess([join(root, "a.tgz")], { main, env: { TMPDIR: temporary } });
    expect([stdout, stderr]).toEqual(["A keep\n", ""]);
    expect(exitCode).not.toBe(0);
    expect(readdirSync(temporary)).toEqual(["keep"]);
  });
});

describe("an archive imported into a store", () => {
  test("publishes the same as its folder, and another commit with the same content changes nothing", async () => {
    const root = writeFolder({
      "a.zip": makeZip(membersOf(BOOK, "tea-1/")),
      "b.tgz": makeTarGz(membersOf(BOOK, "tea-2/")),
      "bad.zip": makeZip([...membersOf(BOOK), { path: "../up.md" }]),
    });
    const importFile = (file: string) =>
      runCommand(["import", file, "--project", "tea", "--database", `sqlite:${root}/x.db`], { cwd: root });
    expect(await importFile("a.zip")).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining("1 course, 2 lessons"),
    });
    expect((await importFile("b.tgz")).stdout).toStartWith("Nothing changed");
    const bad = await importFile("bad.zip");
    expect(bad.exitCode).toBe(3);
    expect(bad.stderr).toContain("bad.zip/../up.md: error: has a path with ..");
    expect(bad.stderr).toContain("Nothing was imported: 1 error in archive bad.zip.");
  });

  test("stores its images, from a ZIP and from a tar", async () => {
    const image = new Uint8Array(300_000).map((_, at) => (at * 7919) >>> 3);
    const members = [
      { path: "tea/01-part/01-a.md", content: "![a](../img/a.png) [hidden](../img/b.png)" },
      { path: "tea/img/a.png", content: image },
      { path: "tea/.env", content: "secret" },
    ];
    const link = { path: "tea/img/b.png" };
    const root = writeFolder({
      "a.zip": makeZip([...members, { ...link, content: "../.env", mode: 0o120777 }]),
      "a.tgz": makeTarGz([...members, { ...link, type: "2", target: "../.env" }]),
    });
    for (const file of ["a.zip", "a.tgz"]) {
      const env = { LECTERN_DATABASE: `sqlite:${root}/${file}.db`, LECTERN_PUBLIC_URL: "https://catalog.example" };
      const run = (...args: string[]) => runCommand([...args, "--project", "tea"], { cwd: root, env });
      const imported = await run("import", file);
      expect([imported.stderr, imported.stdout]).toEqual([
        expect.stringContaining("/tea/img/b.png: warning: is a link that points to a hidden or ignored path"),
        expect.stringContaining("\n  files: 1 stored, 300.0 kB\n"),
      ]);
      expect(imported.stderr).toContain('link "../img/b.png" points to a hidden or ignored path');
      const { stdout: course } = await run("get", "/api/v1/courses/tea");
      const [, id = ""] = /"lessons":\[\{"id":"([^"]+)"/.exec(course.replace(/\s/g, "")) ?? [];
      const paths = listAssetPaths((await run("get", `/api/v1/courses/tea/lessons/${id}`)).stdout);
      expect(paths.length).toBe(1);
      const digest = new Bun.CryptoHasher("sha256").update(image).digest("hex").slice(0, 32);
      expect(paths[0]).toBe(`/assets/${digest}/a.png`);
    }
  });
});
