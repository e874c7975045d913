// Measures the memory of `lectern check` for files that once consumed 1.2 to 5.6 GB.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { MIB } from "../src/content/limits.ts";
import type { Judgement } from "./judgement.ts";
import { runMeasured } from "./peak-memory.ts";

const MAX_MEMORY_MB = 700;
/** Each takes seconds. */
const DEADLINE_MS = 60_000;
const LINE_MIB = 400;

interface HostileFile {
  what: string;
  name: string;
  text: string;
  /** The file is padded with zeros to this size. */
  bytes?: number;
  /** A folder to which a link `s` leads, with links to itself by these names and so many empty files. */
  beside?: { path: string; links: string[]; files: number };
  /** Other files by path. */
  others?: Record<string, string>;
  /** True to import the content, too: only then, ids are final. */
  isImported?: boolean;
  /** Text that the output must contain: an error, or that there is none. */
  error: string;
}

/** Links to a file through 36 links, each by another way. */
const linkThrough = (names: string[], file: string, count: number): string =>
  Array.from({ length: count }, (_, way) => {
    const through = Array.from({ length: 35 }, (_link, at) => names[(way >> at) & 1]);
    return `[x](${["s", ...through, file].join("/")})\n`;
  }).join("");
const LONG_NAMES = ["a".repeat(110), "b".repeat(110)];
const toUnits = (units: string, name = ""): string =>
  `<course><chapter><sequential ${name}>${units}</sequential></chapter></course>`;
const ALIASES = `---\na: &a [${"x,".repeat(9)}]\n${["ab", "bc", "cd", "de", "ef"]
  .map(([from, to]) => `${to}: &${to} [${`*${from},`.repeat(9)}]\n`)
  .join("")}---\nx\n`;
const DEEP = Array.from({ length: 4 }, () => "d".repeat(230)).join("/");
const DEEPER = Array.from({ length: 150 }, () => "d").join("/");

const LONG_PATH = Array.from({ length: 12 }, () => "中".repeat(80)).join("/");
const INCLUDE = "```{include} l.txt\n```\n";

/** A book in a deep folder that repeats a line about 30,000 times. */
function inDeepBook(what: string, line: string, error: string): HostileFile {
  const files = { "SUMMARY.md": "- [A](a.md)\n", "a.md": `# A\n\n${"{{#include l.txt}}\n".repeat(40)}` };
  return {
    what,
    name: "x.txt",
    text: "",
    others: {
      "book.toml": `[book]\ntitle = "A"\nsrc = "${DEEPER}"\n`,
      ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`${DEEPER}/${name}`, text])),
      [`${DEEPER}/l.txt`]: `${line}\n`.repeat(1000),
    },
    error,
  };
}

function inJupyterBook(
  what: string,
  text: string,
  others: Record<string, string>,
  error = "--max-lesson-size",
): HostileFile {
  const book = { "_config.yml": "title: A\n", "_toc.yml": "format: jb-book\nroot: 01-a/a\n" };
  return { what, name: "a.md", text, others: { ...book, ...others }, error };
}

/** Items, each with a resource of its own for the same file. */
const toItems = (count: number): string =>
  Array.from({ length: count }, (_, n) => `<item identifierref="r${n}"><title>A</title></item>`).join("");

function inCartridge(
  what: string,
  items: string,
  others: Record<string, string>,
  error = "--max-lesson-size",
  type = "webcontent",
): HostileFile {
  const [file] = Object.keys(others);
  const resources = Array.from(
    items.matchAll(/identifierref="(r\d+)"/g),
    ([, id]) => `<resource identifier="${id}" type="${type}" href="${file}"><file href="${file}"/></resource>`,
  );
  const manifest = `<?xml version="1.0"?><manifest xmlns="http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1"><organizations><organization><item>${items}</item></organization></organizations><resources>${resources.join("")}</resources></manifest>`;
  return { what, name: "x.txt", text: "", others: { "imsmanifest.xml": manifest, ...others }, error };
}

function inOpenEdx(what: string, units: string, policy: string, error: string): HostileFile {
  const course = `<course url_name="a" org="o" course="c" display_name="A"><chapter display_name="C"><sequential url_name="s" format="x">${units}</sequential></chapter></course>`;
  return {
    what,
    name: "x.txt",
    text: "",
    others: { "course.xml": course, "policies/a/policy.json": `{${policy}}` },
    error,
  };
}

const files: HostileFile[] = [
  {
    what: "aliases",
    name: "1.md",
    text: `---\na: &a [${"a,".repeat(200_000)}]\nb: [${"*a,".repeat(90)}]\n---\n`,
    error: "--max-nodes",
  },
  {
    what: "aliases of many pages",
    name: "1.md",
    text: ALIASES,
    others: Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`01-a/p${n}.md`, ALIASES])),
    error: "all YAML aliases in the source",
  },
  {
    what: "keys that contain keys",
    name: "1.md",
    text: `---\na: ${"{? {a: b, c: ".repeat(100)}x${"} : d}".repeat(100)}\n---\n`,
    error: "unknown field",
  },
  { what: "rows of a table", name: "1.md", text: `|a|b|\n|-|-|\n${"|a|b|\n".repeat(170_000)}`, error: "--max-nodes" },
  {
    what: "broken links by long paths",
    name: "1.md",
    text: linkThrough(LONG_NAMES, "gone", 150),
    beside: { path: "b", links: LONG_NAMES, files: 2000 },
    error: "points to a missing file",
  },
  {
    what: "links through links to a deep folder",
    name: "1.md",
    text: linkThrough(["l", "m"], "0.txt", 6000),
    beside: { path: DEEP, links: ["l", "m"], files: 1 },
    error: "is relative",
  },
  {
    what: "a snippet with a long indentation",
    name: "1.md",
    text: `${" ".repeat(100_000)}--8<-- "c.txt"\n`,
    others: {
      "mkdocs.yml": "docs_dir: 01-a\nnav: [1.md]\nmarkdown_extensions: [pymdownx.snippets]\n",
      "c.txt": "c\n".repeat(20_000),
    },
    error: "--max-file-size",
  },
  {
    what: "a snippet with a long indentation on many pages",
    name: "0.md",
    text: '# A\n\n<!--\n--8<-- "a.txt"\n-->\n',
    others: {
      ...Object.fromEntries(
        Array.from({ length: 40 }, (_, n) => [`01-a/${n + 1}.md`, '# A\n\n<!--\n--8<-- "a.txt"\n-->\n']),
      ),
      "mkdocs.yml": "docs_dir: 01-a\nmarkdown_extensions: [pymdownx.snippets]\n",
      "a.txt": `${" ".repeat(15_000)}--8<-- "b.txt"\n`,
      "b.txt": "c\n".repeat(1000),
    },
    error: "32 times the size of its files",
  },
  {
    what: "a snippet by many spellings under many base folders",
    name: "1.md",
    text: Array.from({ length: 18_000 }, (_, n) => `--8<-- "${"./".repeat(n % 30)}g.txt"\n`).join(""),
    others: {
      "mkdocs.yml": `docs_dir: 01-a\nmarkdown_extensions:\n- pymdownx.snippets: {base_path: [${".,".repeat(20_000)}]}\n`,
      "g.txt": "g\n",
    },
    error: "0 errors, 0 warnings",
  },
  {
    what: "lines of a file of empty lines that a page includes",
    name: "index.md",
    text: "# A\n\n```{include} t.txt\n```\n",
    others: {
      "01-a/_config.yml": "title: A\n",
      "01-a/_toc.yml": "root: index\n",
      "01-a/t.txt": "```{include} u.txt\n```\n".repeat(60),
      "01-a/u.txt": "```{literalinclude} g.txt\n:lines: 1\n```\n".repeat(300),
      "01-a/g.txt": "\n".repeat(22_000),
    },
    error: "32 times the size of its files",
  },
  {
    what: "missing sections of a file that pages include",
    name: "0.md",
    text: "# A\n",
    others: {
      ...Object.fromEntries(Array.from({ length: 19 }, (_, n) => [`01-a/${n + 1}.md`, "# A\n"])),
      "mkdocs.yml": `docs_dir: 01-a\nmarkdown_extensions:\n- pymdownx.snippets: {auto_append: [${'"g:x",'.repeat(1000)}]}\n`,
      g: "\n".repeat(90_000),
    },
    error: "32 times the size of its files",
  },
  {
    what: "substitutions in a text that a page includes",
    name: "index.md",
    text: `# A\n\n${"```{include} l.txt\n```\n".repeat(45)}`,
    others: {
      "01-a/_config.yml": `title: A\nparse:\n  myst_substitutions:\n    a: ${"中".repeat(1000)}\n`,
      "01-a/_toc.yml": "root: index\n",
      "01-a/l.txt": "{{a}}".repeat(10_000),
    },
    error: "32 times the size of its files",
  },
  {
    what: "a text full of quotes that the pages of a book include",
    name: "q.txt",
    text: `${'"'.repeat(5000)}\n`,
    others: {
      "book.toml": '[book]\ntitle = "A"\nsrc = "01-a"\n',
      ...Object.fromEntries(
        Array.from({ length: 25 }, (_, n) => [
          `01-a/${n}.md`,
          `# A\n\n${"{{#include q.txt}}\n".repeat(500)}<!-- ${"x".repeat(100_000)} -->\n`,
        ]),
      ),
      "01-a/SUMMARY.md": Array.from({ length: 25 }, (_, n) => `- [A](${n}.md)\n`).join(""),
    },
    error: "too large: the course's lessons, with",
  },
  {
    what: "a long abbreviation in many pages",
    name: "a.md",
    text: "a\n",
    others: {
      ...Object.fromEntries(
        Array.from({ length: 60 }, (_, n) => [`01-a/${n}.md`, `*[A]: ${"m".repeat(1500)}\n\n${"A ".repeat(7000)}\n`]),
      ),
      "mkdocs.yml": "docs_dir: 01-a\nmarkdown_extensions: [abbr]\n",
    },
    error: "too large: the course's lessons, with",
  },
  {
    what: "a list of links to a lesson that pages of a book include",
    name: "l.txt",
    text: "<a href=a.md>\n".repeat(1000),
    others: {
      "book.toml": '[book]\ntitle = "A"\nsrc = "01-a"\n',
      ...Object.fromEntries(
        Array.from({ length: 37 }, (_, n) => [
          `01-a/${n}.md`,
          `# A\n\n<!-- ${"x".repeat(50_000)} -->\n\n{{#include m.txt}}\n`,
        ]),
      ),
      "01-a/SUMMARY.md": `- [A](a.md)\n${Array.from({ length: 37 }, (_, n) => `- [A](${n}.md)\n`).join("")}`,
      "01-a/a.md": "# A\n\na\n",
      "01-a/m.txt": "{{#include l.txt}}\n\n".repeat(40),
    },
    error: "too large: the course's lessons, with",
  },
  {
    what: "a book of headings",
    name: "l.txt",
    text: "# a\n".repeat(2000),
    others: {
      "book.toml": '[book]\ntitle = "A"\nsrc = "01-a"\n',
      ...Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`01-a/${n}.md`, "# A\n\n{{#include m.txt}}\n"])),
      "01-a/SUMMARY.md": Array.from({ length: 30 }, (_, n) => `- [A](${n}.md)\n`).join(""),
      "01-a/m.txt": "{{#include l.txt}}\n\n".repeat(60),
      "01-a/0.md": `<!-- ${"x".repeat(500_000)} -->\n\n{{#include m.txt}}\n`,
    },
    error: "too large: the course's lessons, with",
  },
  inDeepBook("images by the site's root in a deep folder", "![](/b)", "is relative"),
  inDeepBook("images by a folder that each parent contains", "![](/d/b)", "is relative"),
  inDeepBook("links by the site's root in a deep folder", "[x](/b)", "points to no lesson"),
  inDeepBook("images in a missing folder", "![](m/b)", "points to a missing file"),
  inDeepBook("missing includes in a deep folder", "{{#include m/x}}", "one for each 4 bytes of its files"),
  {
    what: "macros of links",
    name: "x.txt",
    text: "",
    others: Object.fromEntries(
      Array.from({ length: 4 }, (_, n) => [
        `c${n}/README.md`,
        `<!--\nauthor: A\nemail: a@b\n@k: ${"[](/x) ".repeat(142)}\n@m: ${"@k ".repeat(50)}\n-->\n\n# A${n}\n\n${`## L\n\n${"@m\n\n".repeat(20)}`.repeat(4)}`,
      ]),
    ),
    error: "the expanded macros of a source of this size",
  },
  inJupyterBook("names of a label in links", `(a)=\n# ${"中".repeat(200)}\n\n${INCLUDE.repeat(30)}`, {
    "01-a/l.txt": `[${"{name}".repeat(39_000)}](#a)\n`,
  }),
  inJupyterBook("links to another project by a long name", `[a]: inv:#${"x".repeat(10_000)}\n\n${INCLUDE.repeat(50)}`, {
    "01-a/l.txt": "[][a]\n".repeat(1000),
  }),
  inJupyterBook("links to a label by a long path", `# A\n\n${INCLUDE.repeat(40)}`, {
    "_toc.yml": `format: jb-book\nroot: 01-a/a\nchapters:\n- file: 01-a/${LONG_PATH}/b\n`,
    "01-a/l.txt": "[](#b)\n".repeat(1000),
    [`01-a/${LONG_PATH}/b.md`]: "(b)=\n# B\n",
  }),
  inJupyterBook(
    "links to a label by a long path on many pages",
    "# A\n",
    {
      "_toc.yml": `format: jb-book\nroot: 01-a/a\nchapters:\n- file: 01-a/${LONG_PATH}/b\n${Array.from({ length: 60 }, (_, n) => `- file: 01-a/${n}\n`).join("")}`,
      ...Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`01-a/${n}.md`, `# P\n\n${INCLUDE}`])),
      "01-a/l.txt": "[](#b)\n".repeat(1000),
      [`01-a/${LONG_PATH}/b.md`]: "(b)=\n# B\n",
    },
    "too large: the course's lessons, with",
  ),
  inCartridge("links of a page in a folder with a long name", toItems(1), {
    [`${LONG_PATH}/0.html`]: `<html><body>${"<a href=x>x</a>".repeat(60_000)}</body></html>`,
  }),
  inCartridge(
    "items within items with long names",
    `${`<item><title>${"中".repeat(500)}</title>`.repeat(21)}${toItems(60_000)}${"</item>".repeat(21)}`,
    { "0.html": "<p>x" },
    "the limit is 20 references",
  ),
  inCartridge(
    "resources of one quiz",
    toItems(550),
    {
      "0.xml": `<questestinterop><assessment title="q"><section>${"<a/>".repeat(240_000)}</section></assessment></questestinterop>`,
    },
    "the limit is 20 references",
    "imsqti_xmlv1p2/imscc_xmlv1p1/assessment",
  ),
  inOpenEdx(
    "many groups of units with one id",
    '<vertical url_name="v" display_name="a"><html>x</html></vertical>'.repeat(500),
    `"vertical/v":{"group_access":${JSON.stringify(`{${'"a":[],'.repeat(1_000_000)}"a":[]}`)}}`,
    "is already a lesson",
  ),
  inOpenEdx(
    "a long name of a sequential with many units",
    '<vertical display_name="a"><html>x</html></vertical>'.repeat(550),
    `"sequential/s":{"display_name":[${"1,".repeat(1_000_000)}1]}`,
    "must have at most 1000 characters",
  ),
  inOpenEdx(
    "many unsupported blocks with one long name",
    `<vertical>${'<poll url_name="x" a="1"></poll>'.repeat(12_000)}</vertical>`,
    `"poll/x":{"display_name":"${"t".repeat(200_000)}"}`,
    "0 errors",
  ),
  inOpenEdx(
    "many blocks with one long start",
    `<vertical>${'<poll url_name="x" a="1"></poll>'.repeat(16_000)}</vertical>`,
    `"poll/x":{"start":${JSON.stringify('T"'.repeat(200_000))}}`,
    "0 errors",
  ),
  {
    what: "a long title of a section with files of many frameworks",
    name: "x.txt",
    text: "",
    others: {
      "_toctree.yml": `- title: P\n  sections:\n  - title: ${"t".repeat(400_000)}\n    local_fw: {${Array.from({ length: 3000 }, (_, n) => `a${n}: p${n}`).join(", ")}}\n`,
      ...Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`p${n}.mdx`, "x"])),
    },
    error: "must have at most 1000 characters",
  },
  {
    what: "folders within folders in a nav",
    name: "x.txt",
    text: "",
    others: {
      "mkdocs.yml": `nav:\n${Array.from({ length: 150 }, (_, n) => `- ${"d/".repeat(n + 1)}\n`).join("")}`,
      "docs/index.md": "x",
      ...Object.fromEntries(Array.from({ length: 1500 }, (_, n) => [`docs/${DEEPER}/${n}.md`, "x"])),
    },
    error: "exceeds the limit of 1,000 wildcards and folders",
  },
  {
    what: "links to a page with a long redirect",
    name: "x.txt",
    text: "",
    others: {
      "book.toml": `[output.html.redirect]\n"/b" = "${"中".repeat(20_000)}"\n`,
      "src/SUMMARY.md": "- [A](a.md)\n- [B](c.md)\n",
      "src/l.txt": "[a](b)\n".repeat(1000),
      "src/a.md": `# A\n${"{{#include l.txt}}\n".repeat(100)}`,
      "src/c.md": `# A\n${"{{#include l.txt}}\n".repeat(100)}`,
    },
    error: "points to a missing file",
  },
  {
    what: "videos by a long URL",
    name: "1.md",
    text: `# P\n\n[a]: /${"m".repeat(150_000)}.mp4\n\n${"![type:video][a]\n".repeat(9000)}`,
    others: { "mkdocs.yml": "docs_dir: 01-a\nplugins: [mkdocs-video]\n" },
    error: "--max-lesson-size",
  },
  {
    what: "a footnote with many references",
    name: "1.md",
    text: `${`${"[^1]".repeat(1000)}\n`.repeat(700)}\n[^1]: a\n`,
    error: "half of --max-nodes",
  },
  inJupyterBook(
    "links to a label with a long heading",
    `(a)=\n# ${"A".repeat(200)}\n\n${INCLUDE.repeat(480)}`,
    { "01-a/l.txt": "[](#a)\n".repeat(1000) },
    "half of --max-nodes",
  ),
  {
    what: "missing images",
    name: "1.md",
    text: "![](x)\n".repeat(240_000),
    error: "239,000 more links",
  },
  {
    what: "links with long ids and URLs",
    name: "p.md",
    text: `# P\n\n${"[x](a.md) ".repeat(800)}\n`,
    others: {
      "course.yaml": `name: T\nid: "${"中".repeat(250)}"\nlessonUrl: https://e/${"{courseId}".repeat(90)}/{lessonId}\n`,
      "01-a/a.md": "# A\n\nhi\n",
    },
    isImported: true,
    error: "too large: the links of a course",
  },
  {
    what: "a large file behind many links",
    name: "1.md",
    text: linkThrough(["l", "m"], "large.txt", 8000),
    beside: { path: "b", links: ["l", "m"], files: 0 },
    others: { "01-a/b/large.txt": "a line of a large file\n".repeat(600_000) },
    isImported: true,
    error: "Published release 1",
  },
  {
    what: "a large file of which the pages of a book include a line each",
    name: "l.txt",
    text: "a line of a large file\n".repeat(25_000),
    others: {
      "book.toml": '[book]\ntitle = "A"\nsrc = "01-a"\n',
      ...Object.fromEntries(Array.from({ length: 140 }, (_, n) => [`01-a/${n}.md`, "# A\n\n{{#include l.txt:7}}\n"])),
      "01-a/SUMMARY.md": Array.from({ length: 140 }, (_, n) => `- [A](${n}.md)\n`).join(""),
    },
    error: "0 errors",
  },
  {
    what: "a snippet that 7,000 pages append from the third folder",
    name: "a.txt",
    text: "a\n",
    others: {
      "mkdocs.yml":
        "markdown_extensions: [{pymdownx.snippets: {base_path: [docs, includes, 01-a], auto_append: [a.txt]}}]\n",
      ...Object.fromEntries(Array.from({ length: 7000 }, (_, n) => [`docs/${n}.md`, "# A\n\na\n"])),
      "includes/b.txt": "b\n",
    },
    error: "0 errors",
  },
  {
    what: "a text that an Open edX unit contains many times",
    name: "course.xml",
    text: toUnits(
      `<vertical>${Array.from({ length: 1000 }, (_, n) => `<html filename="x${n % 50}"/>`).join("")}</vertical>`,
    ),
    others: Object.fromEntries(
      Array.from({ length: 50 }, (_, n) => [`01-a/html/x${n}.html`, "<p>hello</p>\n".repeat(15_000)]),
    ),
    error: "--max-lesson-size",
  },
  {
    what: "a file of broken links that Open edX units name many times",
    name: "course.xml",
    text: toUnits(`<vertical>${'<html filename="b"/>'.repeat(20)}</vertical>`.repeat(40)),
    others: { "01-a/html/b.html": `<p>${Array.from({ length: 3214 }, (_, n) => `<a href="b${n}">`).join("")}</p>` },
    error: "the limit is 20 references",
  },
  {
    what: "an Open edX sequential with a long name and id above many units",
    name: "course.xml",
    text: toUnits(
      '<vertical display_name="a"><html>x</html></vertical>'.repeat(8000),
      `display_name="${"x".repeat(300_000)}" url_name="${"y".repeat(300_000)}"`,
    ),
    error: "at most 1000 characters",
  },
  {
    what: "links by a linkMap to a long URL",
    name: "course.yaml",
    text: `name: A\nlinkMap: { /a: "https://a.example/${"b&".repeat(50_000)}" }\nchapters: [{ name: B, lessons: [1.md] }]\n`,
    others: { "01-a/1.md": "[a](/a) ".repeat(10_000) },
    error: "--max-lesson-size",
  },
  {
    what: "patterns of a book in a large folder",
    name: "_toc.yml",
    text: `root: a\nchapters:\n${"- glob: b/z*\n".repeat(100)}`,
    beside: { path: "b", links: [], files: 30_000 },
    others: { "01-a/a.md": "a" },
    error: "exceeds the limit of 1,000 patterns\n",
  },
  {
    what: "wildcards of a site in a large folder",
    name: "mkdocs.yml",
    text: `site_name: A\nnav:\n${Array.from({ length: 400 }, (_, n) => `- b/p${n}*\n`).join("")}`,
    others: Object.fromEntries(Array.from({ length: 4000 }, (_, n) => [`01-a/docs/b/p${n}.md`, "a"])),
    error: "exceeds the limit of 1,000 wildcards and folders\n",
  },
  {
    what: "pages that a configuration excludes after ten others",
    name: "mkdocs.yml",
    text: "nav: [a.md]\nINHERIT: c0.yml\n",
    others: {
      "01-a/docs/a.md": "a",
      ...Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`01-a/c${n}.yml`, `INHERIT: c${n + 1}.yml\n`])),
      "01-a/c12.yml": "exclude_docs: a.md\n",
    },
    error: "error: INHERIT: c10.yml exceeds the limit",
  },
  {
    what: "deep includes of files that a page also names",
    name: "_toc.yml",
    text: "root: a\n",
    others: Object.fromEntries(
      Array.from({ length: 12 }, (_, n) => [`01-a/${n}.md`, `\`\`\`{include} ${n + 1}.md\n\`\`\`\n`]).concat([
        ["01-a/a.md", `% {include} 11.md\n% {include} 10.md\n\n\`\`\`{include} 0.md\n\`\`\`\n`],
      ]),
    ),
    error: 'error: {include} "10.md" is left out',
  },
  {
    what: `a line of ${LINE_MIB} MiB`,
    name: "c.ndjson",
    text: "",
    bytes: LINE_MIB * MIB,
    error: "--max-line-size",
  },
];

/** Checks each file in its own process. */
export async function checkHostileContent(): Promise<Judgement[]> {
  const judgements: Judgement[] = [];
  for (const file of files) judgements.push(await checkFile(file));
  return judgements;
}

async function checkFile({
  what,
  name,
  text,
  bytes,
  beside,
  others = {},
  isImported = false,
  error,
}: HostileFile): Promise<Judgement> {
  const folder = mkdtempSync(join(tmpdir(), "lectern-hostile-"));
  mkdirSync(join(folder, "01-a"));
  const path = join(folder, "01-a", name);
  writeFileSync(path, text);
  if (bytes !== undefined) truncateSync(path, bytes);
  if (beside !== undefined) {
    const linked = join(folder, "01-a", beside.path);
    mkdirSync(linked, { recursive: true });
    symlinkSync(beside.path, join(folder, "01-a", "s"));
    for (const link of beside.links) symlinkSync(".", join(linked, link));
    for (let file = 0; file < beside.files; file++) writeFileSync(join(linked, `${file}.txt`), "");
  }
  for (const [other, content] of Object.entries(others)) {
    mkdirSync(dirname(join(folder, other)), { recursive: true });
    writeFileSync(join(folder, other), content);
  }
  const source = name.endsWith(".ndjson") ? path : folder;
  const database = `sqlite:${join(folder, "lectern.db")}`;
  const args = isImported ? ["import", source, "--project", "a", "--database", database] : ["check", source];
  if (isImported) args.push("--public-url", "https://catalog.example");
  const { peakBytes, stdout, stderr } = await runMeasured(args, {}, { deadlineMs: DEADLINE_MS });
  const isTold = `${stdout}${stderr}`.includes(error);
  rmSync(folder, { recursive: true });
  const megabytes = peakBytes / MIB;
  return {
    isHeld: isTold && megabytes < MAX_MEMORY_MB,
    text: `${args[0]}: ${what} ${isTold ? "gives" : "does NOT give"} "${error.trim()}", ${megabytes.toFixed(0)} MB at most (below ${MAX_MEMORY_MB})`,
  };
}
