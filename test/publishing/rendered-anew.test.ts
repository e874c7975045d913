// A version of Lectern that renders differently changes ETags, but no dates of unchanged lessons.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openFolderSource } from "../../src/content/readers/folder.ts";
import { importCatalog } from "../../src/publishing/import-catalog.ts";
import { LinkedFiles } from "../../src/publishing/linked-files.ts";
import { dataOf } from "../support/answers.ts";
import { createPng } from "../support/images.ts";
import { createAsk, publishingAt, type Ask } from "../support/in-process.ts";
import { createKey } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";
import { writeFolder } from "../support/written-folder.ts";
import { createWrittenSource, type WrittenSource } from "../support/written-source.ts";

const [FIRST, SECOND, THIRD] = ["2026-01-01T00:00:00.000Z", "2026-02-01T00:00:00.000Z", "2026-03-01T00:00:00.000Z"];
const NOTEBOOK = JSON.stringify({
  nbformat: 4,
  nbformat_minor: 5,
  metadata: {},
  cells: [{ cell_type: "markdown", metadata: {}, source: "![n](https://x.example/n.png) ![b](b.png)" }],
});

describe("lessons rendered differently", () => {
  const database = useTestStore();
  let source: WrittenSource;
  let ask: Ask;
  let key: string;
  beforeAll(async () => {
    ask = createAsk(database);
    key = await createKey(database.store, "acme");
    source = createWrittenSource();
    source.write("tea/01-path.md", "![a](a.png)\n");
    source.write("tea/02-given.md", "---\nid: given\n---\n![a](a.png)\n");
    source.write("tea/03-edited.md", "![a](a.png)\n");
    source.write("tea/04-named.md", "---\nname: Old\n---\n![a](a.png)\n");
    source.write("tea/05-notebook.ipynb", NOTEBOOK);
    source.write("tea/06-html.html", '<img src="a.png">\n');
    for (const name of ["a.png", "b.png"]) source.write(`tea/${name}`, "");
  });
  afterAll(() => source.drop());

  const readLessons = async () =>
    Promise.all(
      dataOf(await ask("/courses/tea/lessons", key)).results.map(async ({ id, name }) => {
        const answer = await ask(`/courses/tea/lessons/${id}`, key);
        return { name, id, updatedAt: dataOf(answer).updatedAt, etag: answer.headers.get("etag") };
      }),
    );

  test("keep their dates if the author's text is the same, and all their ids", async () => {
    await source.import(database.store, { at: FIRST, assetBase: "https://one.example/" });
    const before = await readLessons();
    // Stored as by an earlier version with other texts.
    await database.execute("update course_versions set source_digest = '2.' || substr(source_digest, 3)");
    source.write("tea/03-edited.md", "![b](a.png)\n");
    source.write("tea/04-named.md", "---\nname: New\n---\n![a](a.png)\n");
    await source.import(database.store, { at: SECOND, assetBase: "https://two.example/" });
    const after = await readLessons();
    expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    expect(after.filter(({ etag }, index) => etag === before[index]?.etag)).toEqual([]);
    expect(after.map(({ name, updatedAt }) => [name, updatedAt])).toEqual([
      ["Path", FIRST],
      ["Given", FIRST],
      ["Edited", SECOND],
      ["New", SECOND],
      ["Notebook", FIRST],
      ["Html", FIRST],
    ]);
    // The stored version renders as this one: all delivered content counts.
    await source.import(database.store, { at: THIRD, assetBase: "https://three.example/" });
    expect((await readLessons()).every(({ updatedAt }) => updatedAt === THIRD)).toBe(true);
  });
});

describe("--public-url relative", () => {
  const database = useTestStore();
  const files = {
    "tea/course.yaml": "_id: tea\nname: Tea\nthumbnail: a.png\n",
    "tea/01-a.md": '---\nid: a\nurl: v.mp4\nquizHtml: <img src="a.png">\n---\n![a](a.png) [s](s.pdf#p)\n',
    "tea/a.png": createPng(2, 3),
    "tea/s.pdf": "pdf",
    "tea/v.mp4": "film",
  };
  const importRelative = async (assetBase?: string) => {
    const linked = new LinkedFiles("relative", 1_000_000);
    const problems: string[] = [];
    const base = assetBase === undefined ? undefined : new URL(assetBase);
    const { status } = await importCatalog({
      ...publishingAt(database.store, "rel", FIRST),
      channel: "live",
      source: openFolderSource(writeFolder(files), { assetBase: base, files: linked }),
      files: { linked, assets: database.store.assets },
      report: ({ severity, message }) => problems.push(`${severity}: ${message}`),
    });
    return { status, problems };
  };

  test("omits the host in HTML and stores the files; standalone URLs keep a host", async () => {
    expect(await importRelative()).toEqual({
      status: "invalid",
      problems: [
        expect.stringContaining('warning: url: video "v.mp4" is relative, and without --asset-base readers cannot'),
        expect.stringContaining("error: thumbnail: must be an absolute http or https URL, or empty"),
      ],
    });
    expect(await importRelative("https://a.example/")).toEqual({ status: "published", problems: [] });
    const key = await createKey(database.store, "rel");
    const ask = createAsk(database);
    expect((await ask("/courses/tea", key)).text).toContain('"thumbnail":"https://a.example/tea/a.png"');
    const { url, quizHtml, additionalText } = dataOf(await ask("/courses/tea/lessons/a", key));
    expect(url).toBe("https://a.example/tea/v.mp4");
    const image = /^<img src="(\/assets\/[0-9a-f]{32}\/a\.png)">$/.exec(quizHtml)?.[1] ?? "";
    const linked = [...additionalText.matchAll(/(?<=")\/assets\/([0-9a-f]{32})\/([^"#]+)/g)];
    const [, pdf] = linked.map(([path]) => path);
    expect(additionalText).toBe(
      `<p><img src="${image}" width="2" height="3" alt="a" loading="lazy"> <a href="${pdf}#p">s</a></p>\n`,
    );
    for (const [, digest = "", name = ""] of linked)
      expect(await database.store.assets.findAsset(digest, name)).toBeDefined();
  });
});
