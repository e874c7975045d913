// Which format a folder has: every detector over one folder of each format, what happens to a second match, and a format more.
import { describe, expect, test } from "bun:test";
import { completeCourse } from "../../src/catalog/complete-course.ts";
import { FORMATS } from "../../src/content/formats/registry.ts";
import { gatsby } from "../gatsby/gatsby.ts";
import { outlinesOf, pages, readFolder, writeFolder, type Files } from "../support/written-folder.ts";

const MANIFEST = `<manifest xmlns="http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1"><metadata><schema>IMS Common Cartridge</schema>
<schemaversion>1.1.0</schemaversion></metadata><organizations><organization structure="rooted-hierarchy"><item>
<item identifier="m"><title>Basics</title><item identifier="i" identifierref="r"><title>Leaves</title></item></item></item>
</organization></organizations><resources><resource identifier="r" type="webcontent" href="a.html"><file href="a.html"/>
</resource></resources></manifest>`;

const EDX = `<course display_name="Tea"><chapter url_name="c" display_name="C"><sequential url_name="s" display_name="S">
<vertical url_name="v" display_name="V"><html url_name="h">x</html></vertical></sequential></chapter></course>`;

/** A folder of each format, the detectors that take it, and the id of its first lesson. */
const FOLDERS: [format: string | undefined, detectors: string, lesson: string, files: Files][] = [
  [
    undefined,
    "course.yaml plain",
    "a.md",
    { "course.yaml": "name: Tea\nchapters: [{name: Basics, lessons: [a]}]", ...pages("a.md") },
  ],
  [
    "toctree",
    "toctree plain",
    "a.mdx",
    { "_toctree.yml": "- title: T\n  sections: [{local: a, title: A}]", ...pages("a.mdx") },
  ],
  [
    "olx",
    "olx",
    "course/run.xml#v",
    { "course.xml": '<course url_name="run" org="o" course="c"/>', "course/run.xml": EDX },
  ],
  ["common-cartridge", "common-cartridge", "a.html", { "imsmanifest.xml": MANIFEST, "a.html": "<body>x</body>" }],
  ["mdbook", "mdbook plain", "src/a.md", { "book.toml": "", "src/SUMMARY.md": "- [A](a.md)", ...pages("src/a.md") }],
  [
    "carpentries",
    "carpentries plain",
    "episodes/a.md",
    { "config.yaml": "carpentry: swc\ntitle: Tea\nepisodes: [a.md]", ...pages("episodes/a.md") },
  ],
  ["numbered", "numbered plain", "01-a.md", pages("01-a.md", "02-b.md")],
  ["mdbook", "mdbook plain", "a.md", { "SUMMARY.md": "- [A](a.md)", ...pages("a.md") }],
  ["liascript", "liascript", "README.md#tea", { "README.md": "<!--\nauthor: A\nlanguage: en\n-->\n# Tea\n\ngreen\n" }],
  ["plain", "plain", "a.md", pages("a.md", "b/c.md")],
];

const EXAMPLES = [
  ["ca-phe-sua-da", undefined],
  ["how-sound-works", "numbered"],
  ["reading-maps", "toctree"],
];

async function readOne(files: Files, options: Parameters<typeof readFolder>[2] = {}) {
  const { found, problems } = await readFolder(writeFolder(files), undefined, options);
  return { course: found[0]?.course, format: found[0]?.format, problems };
}

/** The names of all formats whose detector takes a folder, whatever comes before. */
async function listDetected(files: Files): Promise<string> {
  const detected = new Set<string>();
  for (const { name, describes = false } of FORMATS) {
    const asked = describes ? {} : { format: name };
    const { format, problems } = await readOne(files, asked);
    if (problems.some((problem) => problem.includes("no course of the format"))) continue;
    if (!describes || format === undefined) detected.add(name);
  }
  return [...detected].join(" ");
}

describe("a folder", () => {
  test.each(FOLDERS)("of format %s is read as %j and keeps its ids: %s", async (format, detectors, path, files) => {
    const { course, ...read } = await readOne(files);
    expect(read).toEqual({ format, problems: [] });
    expect(course?.chapters[0]?.lessons[0]?.sourcePath).toBe(path);
    expect(await listDetected(files)).toBe(detectors);
  });

  test("of the examples keeps its format", async () => {
    const { found } = await readFolder("examples/catalog", "https://assets.example.org/");
    expect(found.map(({ key, format }) => [key, format])).toEqual(EXAMPLES);
  });

  test("of two formats is read as the first, with one warning that names the second", async () => {
    const { format, problems } = await readOne({
      ...pages("src/a.md", "episodes/a.md"),
      "book.toml": "",
      "src/SUMMARY.md": "- [A](a.md)",
      "config.yaml": "carpentry: swc",
    });
    const message =
      ".: warning: is read as mdbook; it also contains a Carpentries config.yaml: --format carpentries reads it as carpentries";
    expect({ format, problems }).toEqual({ format: "mdbook", problems: [message] });
  });
});

test("a new format needs a folder and a line in the registry", async () => {
  const holds = /^gatsby-config\.js$/;
  FORMATS.unshift({ name: "gatsby", sign: "a gatsby-config.js", claim: "outline", holds, load: async () => gatsby });
  const page = (part: number, letter: string): string =>
    `---\npart: ${part}\nletter: ${letter}\nlang: en\n---\n\n# X\n`;
  const { course, format, problems } = await readOne({
    "gatsby-config.js": "",
    "src/content/3/en/part3b.md": page(3, "b"),
    "src/content/3/en/part3a.md": page(3, "a"),
    "src/content/3/fi/osa3a.md": "x",
    "src/content/4/en/part4a.md": page(4, "a"),
  }).finally(() => FORMATS.shift());
  expect({ format, problems }).toEqual({ format: "gatsby", problems: [] });
  expect(course && outlinesOf([course])).toBe("Part 3 > Part 3a, Part 3b; Part 4 > Part 4a");
  expect(course && completeCourse("acme", course).chapters[0]?.lessons[0]?.sourcePath).toBe(
    "src/content/3/en/part3a.md",
  );
});
