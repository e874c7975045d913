// Courses as their authors write them from the documentation of each format, and what becomes of them: test/samples/README.md.
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openFolderSource } from "../../src/content/readers/folder.ts";
import { formatProblem } from "../../src/content/source.ts";
import { importCatalog } from "../../src/publishing/import-catalog.ts";
import { LinkedFiles } from "../../src/publishing/linked-files.ts";
import { dataOf } from "../support/answers.ts";
import { createAsk, publishingAt } from "../support/in-process.ts";
import { listRows } from "../support/markdown.ts";
import { createKey } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";
import { readFolder, writeFolder } from "../support/written-folder.ts";

const FOLDER = join(import.meta.dir, "../samples");
const UPDATES = process.env["UPDATE_GOLDEN"] === "1";
const names = readdirSync(FOLDER).filter((name) => name !== "README.md");

interface Shown {
  name: string;
  chapters: { name: string; lessons: { name: string; url: string; quizHtml: string; additionalText: string }[] }[];
}

describe.each(names)("the sample of %s", (name) => {
  const database = useTestStore();
  const folder = join(FOLDER, name);

  test("becomes the document beside it, without withheld answers", async () => {
    const { store } = database;
    const told: string[] = [];
    const linked = new LinkedFiles(new URL("https://files.example"), 1_000_000);
    const { status } = await importCatalog({
      ...publishingAt(store, name, "2026-01-01T00:00:00.000Z"),
      channel: "live",
      source: openFolderSource(join(folder, "source"), { assetBase: undefined, files: linked }),
      files: { linked, assets: store.assets },
      report: (problem) => told.push(formatProblem(problem).replaceAll(`${folder}/source`, ".")),
    });
    expect([status, told.filter((problem) => problem.includes(": error: "))]).toEqual(["published", []]);
    const ask = createAsk({ store });
    const key = await createKey(store, name);
    const documents: string[] = [];
    for (const { _id } of dataOf(await ask("/courses", key)).results) {
      const course = dataOf(await ask(`/courses/${_id}?include=lessons`, key)) as unknown as Shown;
      documents.push(toDocument(course));
    }
    const problems = told.map((problem) => `<!-- ${problem} -->\n`);
    const document = [...documents.sort(), ...problems].join("");
    const golden = Bun.file(join(folder, "golden.txt"));
    if (UPDATES) await golden.write(document);
    expect(document).toBe(await golden.text());
    expect(document).not.toMatch(/SECRET|REMOVED/);
    const assets = [...new Set(document.match(/\/assets\/[0-9a-f]{32}\/[\w.%-]+/g))];
    for (const path of assets) {
      const [, , digest = "", file = ""] = path.split("/");
      const asset = await store.assets.findAsset(digest, decodeURIComponent(file));
      expect(asset).toBeDefined();
      const bytes = asset && (await store.assets.readPiece(asset, 0, asset.bytes));
      expect(Buffer.from(bytes ?? []).toString("latin1")).not.toMatch(/SECRET|REMOVED/);
    }
  });
});

function toDocument({ name, chapters }: Shown): string {
  const lessons = chapters.flatMap((chapter) =>
    chapter.lessons.map(({ name: lesson, url, quizHtml, additionalText }) => {
      const video = url === "" ? "" : `<!-- ${url} -->\n`;
      return `<!-- ${chapter.name} / ${lesson} -->\n${video}${additionalText}${quizHtml}`;
    }),
  );
  return `<!-- ${name} -->\n${lessons.join("")}\n`;
}

/** The cells of the tables of a page below a heading of this name, without their heads. */
function listRowsBelow(page: string, heading: string): string[][] {
  const text = readFileSync(join(import.meta.dir, "../..", "docs/formats", page), "utf8").replaceAll("\\|", "\u0001");
  const [, part = ""] = text.split(`\n## ${heading}\n`);
  const rows = listRows(part.split("\n## ")[0] ?? "").filter(([cell = ""]) => !/^:?-+/.test(cell));
  return rows.slice(1).map((cells) => cells.map((cell) => cell.replaceAll("\u0001", "|")));
}
const listCode = (cell: string): string[] => [...cell.matchAll(/(`+) ?(.+?) ?\1(?!`)/g)].map(([, , code = ""]) => code);

/** Marks of Markdown and its dialects: samples write only words between them. */
const MARKS = /[*~^`{}[\]|<>$\\]|==|\+\+\w|:\w+:|[!?]{3}|^(?:#|:{3}|\/{3})/m;
/** The text of HTML without code and formulas. */
const readText = (html: string): string =>
  html.replace(
    /<(code|pre|kbd|style|script|span class="math|div class="math)\b[^]*?<\/(?:code|pre|kbd|style|script|span|div)>|<[^>]*>/g,
    "",
  );

/** The HTML and problems of a page `a.md` among other files. */
async function showPage(files: Record<string, string>) {
  const { lessons, problems } = await readFolder(writeFolder(files));
  return { html: lessons[0]?.additionalText ?? "", problems };
}

/** The sample of each extension in MkDocs' docs; a row without a name continues the one above it. */
function listSite(): { extensions: string; sample: string }[] {
  let extensions = "";
  return listRowsBelow("mkdocs.md", "Markdown").flatMap(([extension = "", written = ""]) => {
    extensions = listCode(extension).join(", ") || (extension === "" ? extensions : "attr_list");
    return listCode(written).map((sample) => ({ extensions, sample }));
  });
}

/** The sample where it counts: on lines of its own, with what belongs below it, or behind a link. */
function toText(sample: string): string {
  if (sample === "\\begin{align}") return `${sample}\nx\n\\end{align}`;
  if (sample.startsWith("```")) return `${sample}\ntext\n\`\`\``;
  if (/^(?:!!!|\?\?\?|===)/.test(sample)) return `${sample}\n    text`;
  if (sample.startsWith("/// ")) return `${sample}\ntext\n///`;
  if (sample.startsWith("{ .")) return `[link](https://tea.example)${sample}`;
  return /^(?:\*\[|\[TOC|>|--8|\{!|\$\$|\\\[)/.test(sample) ? sample : `Word ${sample} word.`;
}

test.each(listSite())("docs/formats/mkdocs.md: $sample leaves no syntax", async ({ extensions, sample }) => {
  const { html, problems } = await showPage({
    "mkdocs.yml": `nav: [a.md]\nmarkdown_extensions: [${extensions}]\n`,
    "docs/a.md": `Before.\n\n${toText(sample)}\n`,
    "file.md": "included",
    "file.py": "1\n2\n3\n4\n5\n",
  });
  expect(readText(html)).not.toMatch(MARKS);
  expect(problems.filter((problem) => !problem.includes(": note: "))).toEqual([]);
});

const MYST = listRowsBelow("jupyter-book.md", "What becomes what").flatMap(([written = ""]) =>
  listCode(written).flatMap((code) => /^\{([a-z][\w:-]*)(?: [^}]*)?\}/.exec(code)?.[1] ?? []),
);

test.each([...new Set(MYST)])("docs/formats/jupyter-book.md: {%s} leaves no syntax", async (name) => {
  const [argument, body] = name === "raw" ? ["html", "<b>a</b>"] : ["", name === "csv-table" ? "a,b" : "* - a\n  - b"];
  const end = name.endsWith("-start") ? `\n\`\`\`{${name.replace("start", "end")}}\n\`\`\`\n` : "";
  const directive = `\`\`\`{${name}} ${argument}\n:name: x\n\n${body}\n\`\`\`\n${end}`;
  const book = { "_toc.yml": "root: a\nchapters:\n- file: b\n", "b.md": "x" };
  const { html } = await showPage({ ...book, "a.md": `Before.\n\n${directive}\nAfter {${name}}\`text\` word.\n` });
  expect(readText(html)).not.toMatch(MARKS);
  expect(html).toMatch(/^<p>Before\.[^]*After [^]* word\.<\/p>\n$/);
});
