// What HTML says that was made of Markdown, so that a site can show it well. HTML of authors stays byte for byte.
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { readImageSize } from "../../src/content/html/image-size.ts";
import type { SourceOptions } from "../../src/content/source.ts";
import { LinkedFiles } from "../../src/publishing/linked-files.ts";
import { makeTarGz, makeZip } from "../support/archives.ts";
import { createGif, createJpeg, createPng, createWebp } from "../support/images.ts";
import { createRandom } from "../support/random.ts";
import { readFolder, writeFolder, type Files } from "../support/written-folder.ts";

const ASSETS = "https://a.example/";
const linkedAt = (url: URL | "relative") => ({ files: new LinkedFiles(url, 1_000_000) });

async function htmlOf(text: string, files: Files = {}, options: Partial<SourceOptions> = {}, base?: string) {
  const { lessons, problems } = await readFolder(writeFolder({ ...files, "01-a.md": text }), base, options);
  return { html: lessons[0]?.additionalText ?? "", lesson: lessons[0], problems };
}

describe("Markdown images get the size from their file:", () => {
  const svg = (tag: string): string =>
    `<?xml version="1.0"?>\n<!-- <svg width="1"> -->\n${tag}<svg width="9" height="9"/></svg>`;
  const cases: [name: string, content: string | Uint8Array, size: string][] = [
    ["a.png", createPng(640, 480), "640x480"],
    ["b.gif", createGif(3, 500), "3x500"],
    ["c.jpg", createJpeg(4000, 3000), "4000x3000"],
    ["lies-on-its-side.jpg", createJpeg(4000, 3000, { orientation: 6 }), "3000x4000"],
    ["on-its-side-of-intel.jpg", createJpeg(40, 30, { orientation: 8, isLittle: true }), "30x40"],
    ["profile.jpg", createJpeg(40, 30, { metadata: 200_000 }), "40x30"],
    ["too-far.jpg", createJpeg(40, 30, { metadata: 300_000 }), ""],
    ["d.webp", createWebp.extended(5000, 17), "5000x17"],
    ["e.webp", createWebp.lossless(801, 1200), "801x1200"],
    ["f.webp", createWebp.lossy(800, 1201), "800x1201"],
    ["plain.svg", svg('<svg width="24" height="16.4px" viewBox="0 0 1 1">'), "24x16"],
    ["box.svg", svg('<svg viewBox="0,0 120.6 80">'), "121x80"],
    ["percent.svg", svg('<svg width="100%" height="100%" viewBox="0 0 12 8">'), "12x8"],
    ["unit.svg", svg('<svg width="3em" height="2em" viewBox="0 0 12 8">'), ""],
    ["no-box.svg", svg('<svg viewBox="0 0 a b">'), ""],
    ["other-name.jpg", createPng(7, 8), "7x8"],
    ["cut.png", createPng(640, 480).slice(0, 20), ""],
    ["cut.jpg", createJpeg(40, 30).slice(0, 44), ""],
    ["nothing.png", createPng(0, 480), ""],
    ["huge.png", createPng(2 ** 31, 2 ** 31), ""],
  ];
  const files = Object.fromEntries(cases.map(([name, content]) => [`img/${name}`, content]));
  const text = cases.map(([name]) => `![](img/${name})`).join("\n");

  test.each([
    ["--asset-base", {}, ASSETS],
    ["--public-url", linkedAt(new URL("https://c.example")), undefined],
    ["neither", {}, undefined],
  ])("with %s", async (setting, options, base) => {
    const { html } = await htmlOf(text, files, options, base);
    const tags = html.match(/<img [^>]*>/g) ?? [];
    expect(tags.every((tag) => tag.endsWith(` loading="lazy">`))).toBe(true);
    const sizes = tags.map((tag) => /width="(\d+)" height="(\d+)"/.exec(tag)?.slice(1).join("x") ?? "");
    // Without an address the author is told, and a site can see it.
    const isShown = setting !== "neither";
    expect(sizes).toEqual(cases.map(([, , size]) => (isShown ? size : "")));
    expect(tags.every((tag) => tag.includes("data-unresolved") !== isShown)).toBe(true);
  });
});

test("or none if its head is damaged", () => {
  const heads = [
    createPng(9, 9),
    createGif(9, 9),
    createJpeg(9, 9, { orientation: 6 }),
    ...Object.values(createWebp).map((create) => create(9, 9)),
    Buffer.from('<svg width="9" height="9">'),
  ];
  const random = createRandom(29);
  for (const head of heads) {
    for (let round = 0; round < 300; round++) {
      const damaged = Uint8Array.from(head).slice(0, 1 + random.below(head.length));
      for (let count = random.below(4); count > 0; count--) damaged[random.below(damaged.length)] = random.below(256);
      const { width = 1, height = 1 } = readImageSize(damaged) ?? {};
      expect([width, height].every((side) => Number.isInteger(side) && side > 0 && side < 65_536)).toBe(true);
    }
  }
});

const SIZED = '<img src="https://a.example/p.png" width="640" height="480" alt="A" loading="lazy">';
test.each<[what: string, markdown: string, html: string]>([
  ["an image with a title", '![A](p.png "T")', `<p>${SIZED.replace('"A"', '"A" title="T"')}</p>`],
  ["an image in HTML with Markdown", '<div markdown="1">\n![A](p.png)\n</div>', `<div>\n<p>${SIZED}</p>\n</div>`],
  ["a link to no file", "[a](gone.md)", '<p><a href="https://a.example/gone.md" data-unresolved="">a</a></p>'],
  ["a link to no heading", "[a](#gone)", '<p><a href="#gone" data-unresolved="">a</a></p>'],
  ["a link from the root of a site", "[a](/gone/)", '<p><a href="/gone/" data-unresolved="">a</a></p>'],
  ["a dead link of HTML", '<p><a href="gone.md">a</a></p>', '<p><a href="https://a.example/gone.md">a</a></p>'],
])("Markdown has its images sized and its dead links marked, HTML has not: %s", async (_, markdown, html) => {
  const files = { "p.png": createPng(640, 480), "02-b.md": "# B", "x.pdf": "x" };
  expect((await htmlOf(markdown, files, {}, ASSETS)).html.trimEnd()).toBe(html);
});

describe("an image", () => {
  test("with an author's size keeps it", async () => {
    const { lessons } = await readFolder(
      writeFolder({
        "config.yaml": "carpentry: swc\ntitle: T\nepisodes: [a.md]\n",
        "episodes/p.png": createPng(640, 480),
        "episodes/a.md": "---\ntitle: A\n---\n![](p.png){alt='A' width='50%'}\n\n![](p.png){alt='B'}\n",
      }),
      ASSETS,
    );
    expect(lessons[0]?.additionalText).toBe(
      '<p><img src="https://a.example/episodes/p.png" alt="A" width="50%" loading="lazy"></p>\n' +
        '<p><img src="https://a.example/episodes/p.png" width="640" height="480" alt="B" loading="lazy"></p>\n',
    );
  });

  test("in a notebook has its own size or the one that the program set", async () => {
    const png = Buffer.from(createPng(640, 480)).toString("base64");
    const output = (metadata: object) => ({ output_type: "display_data", data: { "image/png": png }, metadata });
    const outputs = [output({}), output({ "image/png": { width: 320 } }), output({ "image/png": "?" })];
    const code = { cell_type: "code", metadata: {}, source: "plot()", outputs, execution_count: 1 };
    const attachments = { "m.png": { "image/png": png } };
    const markdown = { cell_type: "markdown", metadata: {}, source: "![M](attachment:m.png)", attachments };
    const notebook = JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells: [markdown, code] });
    const folder = writeFolder({ "01-a.ipynb": notebook });
    const { lessons } = await readFolder(folder, undefined, linkedAt(new URL("https://c.example")));
    const tags = lessons[0]?.additionalText.match(/<img [^>]*>/g)?.map((tag) => tag.replace(/src="[^"]*" /, ""));
    expect(tags).toEqual([
      '<img width="640" height="480" alt="M" loading="lazy">',
      '<img alt="" width="640" height="480" loading="lazy">',
      '<img alt="" width="320" loading="lazy">',
      '<img alt="" width="640" height="480" loading="lazy">',
    ]);
  });

  test.each(["zip", "tar.gz"] as const)("in an archive, %s, has its size too", async (kind) => {
    const photo = Buffer.concat([createJpeg(4, 5, { metadata: 200_000 }), Buffer.alloc(400_000, 7)]);
    const files = { "tea/01-a.md": "![a](a.png) ![b](b.jpg)", "tea/a.png": createPng(2, 3), "tea/b.jpg": photo };
    const members = Object.entries(files).map(([path, content]) => ({ path, content }));
    const archive = kind === "zip" ? makeZip(members) : makeTarGz(members);
    const path = join(writeFolder({ [`tea.${kind}`]: archive }), `tea.${kind}`);
    const { lessons, problems } = await readFolder(path, undefined, linkedAt(new URL("https://c.example")));
    expect(problems).toEqual([]);
    expect(lessons[0]?.additionalText).toMatch(/width="2" height="3".*width="4" height="5"/);
  });

  test("and a dead link are so with --sanitize too", async () => {
    const files = { "p.png": createPng(2, 3) };
    const { html } = await htmlOf("[a](gone.md) ![b](p.png)", files, { sanitizes: true }, ASSETS);
    expect(html).toContain('<a href="https://a.example/gone.md" data-unresolved="">a</a>');
    expect(html).toMatch(/<img src="https:\/\/a\.example\/p\.png" width="2" height="3"[^>]*loading="lazy"/);
  });
});

describe("a lesson's duration in its front matter", () => {
  test.each<[fields: string, minutes: number | undefined]>([
    ["minutes: 45", 45],
    ["duration: 2 hrs, 5 mins", 125],
    ["minutes:", undefined],
  ])("%j", async (fields, durationMinutes) => {
    const { lesson, problems } = await htmlOf(`---\n${fields}\n---\nx\n`);
    expect([lesson?.durationMinutes, problems]).toEqual([durationMinutes, []]);
  });

  test.each(["1:30", "all day", "PT", "1e9", "99999999 h", "P1D", "1".repeat(70)])("is not %s", async (text) => {
    const { lesson, problems } = await htmlOf(`---\nduration: "${text}"\n---\nx\n`);
    expect(lesson?.durationMinutes).toBeUndefined();
    expect(problems).toEqual([expect.stringContaining("01-a.md:2:1: warning: duration is ignored: ")]);
  });
});
