// Courses as their authors write them from the documentation of each format, and what becomes of them: test/samples/README.md.
import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { openFolderSource } from "../src/content/readers/folder.ts";
import { formatProblem } from "../src/content/source.ts";
import { importCatalog } from "../src/publishing/import-catalog.ts";
import { LinkedFiles } from "../src/publishing/linked-files.ts";
import { dataOf } from "./support/answers.ts";
import { createAsk, publishingAt } from "./support/in-process.ts";
import { findRawSyntax } from "./support/raw-syntax.ts";
import { createKey } from "./support/server.ts";
import { useTestStore } from "./support/store.ts";

const FOLDER = join(import.meta.dir, "samples");
const UPDATES = process.env["UPDATE_GOLDEN"] === "1";
const names = readdirSync(FOLDER).filter((name) => name !== "README.md");

interface Shown {
  name: string;
  chapters: { name: string; lessons: { name: string; url: string; quizHtml: string; additionalText: string }[] }[];
}

describe.each(names)("the sample of %s", (name) => {
  const database = useTestStore();
  const folder = join(FOLDER, name);

  test("becomes the document beside it, without syntax of its format and without what is withheld", async () => {
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
    const ask = createAsk(store);
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
    expect(findRawSyntax(documents.join(""))).toEqual([]);
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
