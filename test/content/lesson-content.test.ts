import { describe, expect, test } from "bun:test";
import { outlinesOf, read, readLesson, readOnly, render } from "../support/written-folder.ts";

const htmlOf = async (name: string, text: string) => (await readLesson(name, text)).lesson?.additionalText;

describe("front matter", () => {
  test("sets a lesson's fields and overrides the outline", async () => {
    const outline = "{file: a, name: Outline, id: outline, url: 'https://o.example'}";
    const fields = `id: 007\nname: "Front: matter"\nurl: https://example.org/a.mp4\nquizHtml: |\n  <b>?</b>\ncreatedAt: 2026-01-31`;
    const course = await readOnly({
      "course.yaml": `name: Tea\nchapters:\n  - {name: A, lessons: [${outline}]}`,
      "a.md": `---\n${fields}\n---\nx\n`,
    });
    const set = { id: "007", name: "Front: matter", url: "https://example.org/a.mp4", quizHtml: "<b>?</b>\n" };
    const found = { additionalText: "<p>x</p>\n", sourcePath: "a.md", translationKey: "a" };
    const createdAt = "2026-01-31T00:00:00.000Z";
    expect(course.chapters[0]?.lessons[0]).toEqual({ ...set, ...found, createdAt });
  });

  test.each([
    ["Name", "name: Name\ntitle: Title", "{file: a, name: Outline}"],
    ["Title", "title: Title", "a"],
    ["Heading", "title: ' '", "a"],
    ["Heading", "title:", "a"],
  ])("name is the first of name, the outline's name, title and heading: %s", async (name, fields, outline) => {
    const course = await readOnly({
      "course.yaml": `name: Tea\nchapters: [{name: A, lessons: [${outline}]}]`,
      "a.md": `---\n${fields}\n---\n# Heading\n`,
    });
    expect(course.chapters[0]?.lessons[0]?.name).toBe(name);
  });

  test("is absent if a blank line without fields follows: that is a thematic break", async () => {
    expect(await htmlOf("1.md", "---\n\n# Tea\n\nx\n\n---\n")).toBe('<hr>\n<h1 id="tea">Tea</h1>\n<p>x</p>\n<hr>\n');
    expect(await htmlOf("1.md", "---\n\nx: *y\n\n---\n")).toBe("<hr>\n<p>x: *y</p>\n<hr>\n");
    expect(await htmlOf("1.md", "---\n\nx")).toBe("<hr>\n<p>x</p>\n");
    for (const empty of ["---\n\n# comment\nname: A\n---\nx", "---\n\n---\nx", "---\n---\nx"]) {
      expect(await htmlOf("1.md", empty)).toBe("<p>x</p>\n");
    }
  });

  test.each([
    ["name: A\ncreatedAt: soon", "3:1: error: chapters[0].lessons[0].createdAt: must be a date such as 2026-01-31, or"],
    ["name: a: b", "2:7: error: Nested mappings are not allowed in compact mappings"],
    ["additionalText: no", "2:1: warning: additionalText is ignored: the file already contains the lesson's text"],
    ["title: [a, b]", "2:1: warning: title is ignored: it must be text"],
  ])("%j is a problem at its line in the file", async (fields, problem) => {
    const { problems } = await readLesson("1.md", `---\n${fields}\n---\nx`);
    expect(problems).toEqual([expect.stringContaining(`01-part/1.md:${problem}`)]);
  });

  test("may have CRLF and a byte order mark", async () => {
    const { lesson, problems } = await readLesson("1.md", "\uFEFF---\r\nname: A\r\n---\r\n![](/x.png)\r\n");
    expect(lesson?.name).toBe("A");
    expect(problems).toEqual([expect.stringContaining('01-part/1.md:4: warning: image "/x.png" is relative, and ')]);
  });
});

describe("text", () => {
  const WORD = "fine é – „x“\n";
  const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, "utf16le");
  const AS_1252 = "warning: is not UTF-8, and is read as Windows-1252; save the file as UTF-8";
  const NEITHER = "error: is neither UTF-8 nor Windows-1252; save the file as UTF-8";
  test.each<[what: string, bytes: Buffer, text?: string, problem?: string]>([
    ["UTF-8 with a byte order mark", Buffer.from(`\ufeff${WORD}`), WORD],
    ["UTF-16, big-endian", utf16(WORD).swap16(), WORD],
    ["Windows-1252", Buffer.from("fine \xe9 \x96 \x84x\x93\n", "latin1"), WORD, `1: ${AS_1252}`],
    ["NULs beside bytes that are not UTF-8", Buffer.from("a\n\xe9\0", "latin1"), "", `2: ${NEITHER}`],
    ["cut UTF-16", utf16(WORD).subarray(0, 9), "", "1: error: is not valid UTF-16LE; save the file as UTF-8"],
  ])("in %s is read, or an error at its line", async (_, bytes, text = "", problem = "") => {
    const { lesson, problems } = await readLesson("1.md", bytes);
    expect(lesson?.additionalText).toBe(text === "" ? undefined : `<p>${text.trim()}</p>\n`);
    expect(problems).toEqual(problem === "" ? [] : [`01-part/1.md:${problem}`]);
  });

  test("in HTML stays byte for byte after the front matter", async () => {
    const html = "\r\n<p CLASS=x>&nbsp;<b>&amp</b>\t<img src='https://x.example/a b.png'>\r\n<Tip>``` {#if}";
    expect(await render("1.html", `---\r\nname: A\r\n---\r\n${html}`)).toBe(html);
  });

  const HEADING = "## The `x` part[[the-x]]\n\nSee [[the-x]].\n\nA\n===";
  const WITH_ANCHOR = '<h2 id="the-x">The <code>x</code> part</h2>\n<p>See [[the-x]].</p>\n<h1 id="a">A</h1>\n';

  test("has double brackets after a heading as its anchor in MDX and with a _toctree.yml, and as text elsewhere", async () => {
    expect(await render("1.mdx", HEADING)).toBe(WITH_ANCHOR);
    expect((await readLesson("1.md", "# The [[Prototype]]")).lesson?.name).toBe("The [[Prototype]]");
    const toctree = { "_toctree.yml": "- title: A\n  sections:\n  - local: a\n    title: A", "a.md": HEADING };
    expect((await readOnly(toctree)).chapters[0]?.lessons[0]?.additionalText).toBe(WITH_ANCHOR);
    // There it is not the outline.
    const outlined = { ...toctree, "course.yaml": "name: Tea\nchapters: [{name: A, lessons: [a]}]" };
    expect((await readOnly(outlined)).chapters[0]?.lessons[0]?.additionalText).toContain("part[[the-x]]");
  });

  test.each([
    ["## Two\n\n# *One* `two` [three](https://x.example) &amp; \\*\n\n# Other", "One two three & *"],
    ["## Only two", "File name"],
    ["```\n# code\n```", "File name"],
  ])("has its first level-1 heading as the lesson's name, without markup: %j", async (text, name) => {
    expect((await readLesson("02-file_name.md", text)).lesson?.name).toBe(name);
  });
});

const toFrame = (id: string): string =>
  `<iframe src="https://www.youtube-nocookie.com/embed/${id}" title="YouTube video" loading="lazy" allowfullscreen ` +
  'referrerpolicy="strict-origin-when-cross-origin"></iframe>';

test("MDX uses the first video as the url, unless the author sets one", async () => {
  const text = 'Text\n\n<Youtube id="a_b-1" />\n\n<Youtube id="c"/>\n';
  expect(await readLesson("1.mdx", text)).toMatchObject({
    lesson: { url: "https://www.youtube.com/watch?v=a_b-1", additionalText: `<p>Text</p>\n${toFrame("c")}\n` },
    problems: [],
  });
  const both = `<p>Text</p>\n${toFrame("a_b-1")}\n${toFrame("c")}\n`;
  expect(await readLesson("1.mdx", `---\nurl: https://own.example\n---\n${text}`)).toMatchObject({
    lesson: { url: "https://own.example", additionalText: both },
    problems: [],
  });
  expect((await readLesson("1.mdx", "<Vimeo videoId={'42'} />")).lesson?.url).toBe("https://vimeo.com/42");
});

describe("relative links", () => {
  const HTML = `<p id="here"><a href="#here">x</a> <a href='b.htm?a=1&amp;b=2#c'>x</a>
<img alt="a.png" src=img/a.png srcset="img/a.png 1x, https://x.example/b.png 2x , /c.png 3x">
<video poster="p.png" src="//x.example/v.mp4"></video><object data="d.pdf"></object><b data="no">
<!-- <img src="no.png"> --><a href="mailto:a@x.example">x</a><a href="">x</a><a href>x</a>
<p style="color: red; background: url(s.png), URL( 's.png' ), url(&quot;s.png&quot;), url(https://x.example/t.png), url(#u), url(\\s.png)">x</p>
`;
  const BESIDES = ["b.htm", "img/a.png", "p.png", "d.pdf", "s.png"];

  test("are resolved against the asset base and the lesson's folder, and every other byte stays", async () => {
    const besides = Object.fromEntries(BESIDES.map((path) => [`1 öne/${path}`, ""]));
    const course = await readOnly({ ...besides, "1 öne/01-a.html": HTML }, "https://assets.example/base?x#y");
    const base = "https://assets.example/base/1%20%C3%B6ne";
    expect(course.chapters[0]?.lessons[0]?.additionalText).toBe(
      HTML.replace("b.htm?a=1&amp;b=2#c", `${base}/b.htm?a=1&amp;b=2#c`)
        .replace("src=img", `src=${base}/img`)
        .replace('"img', `"${base}/img`)
        .replace("/c.png", "https://assets.example/c.png")
        .replace("p.png", `${base}/p.png`)
        .replace("d.pdf", `${base}/d.pdf`)
        .replace("url(s", `url(${base}/s`)
        .replace("'s.png'", `&#39;${base}/s.png&#39;`)
        .replace(";s.png", `;${base}/s.png`),
    );
  });

  test("stay as written without an asset base, each with a warning at its line", async () => {
    const { lesson, problems } = await readLesson("1.html", HTML, { besides: BESIDES });
    expect(lesson?.additionalText).toBe(HTML);
    const end = "is relative, and without --public-url or --asset-base readers cannot";
    expect(problems).toEqual([
      `01-part/1.html:1: warning: link "b.htm?a=1&b=2#c" ${end} follow it`,
      ...['2: warning: image "img/a.png"', '2: warning: image "/c.png"', '3: warning: image "p.png"'].map(
        (each) => `01-part/1.html:${each} ${end} load it`,
      ),
      `01-part/1.html:3: warning: file "d.pdf" ${end} load it`,
      `01-part/1.html:5: warning: image "s.png" ${end} load it`,
    ]);
  });

  test("without text are named after the last part of their path", async () => {
    const html = await htmlOf("1.md", "[](a/b) [](/)\n");
    expect(html).toEndWith(`/b" data-unresolved="">b</a> <a href="/" data-unresolved="">/</a></p>\n`);
  });

  test("are also resolved in a lesson's url and quiz and in a course's thumbnail", async () => {
    const files = {
      "tea/course.yaml": "name: Tea\nthumbnail: img/tea.jpg\nchapters: [{name: A, lessons: [in/a]}]",
      ...Object.fromEntries(["tea/img/tea.jpg", "tea/in/a.mp4", "tea/in/q.htm"].map((path) => [path, ""])),
      "tea/in/a.md": "---\nurl: a.mp4\nquizHtml: <iframe src='q.htm'></iframe>\n---\nx",
    };
    const course = await readOnly(files, "https://assets.example/");
    expect(course.thumbnail).toBe("https://assets.example/tea/img/tea.jpg");
    expect(course.chapters[0]?.lessons[0]).toMatchObject({
      url: "https://assets.example/tea/in/a.mp4",
      quizHtml: "<iframe src='https://assets.example/tea/in/q.htm'></iframe>",
    });
    const end = "is relative, and without --public-url or --asset-base readers cannot load it";
    expect((await read(files)).problems).toEqual([
      `tea/in/a.md:2:1: warning: url: video "a.mp4" ${end}`,
      `tea/in/a.md:3:1: warning: quizHtml: embedded page "q.htm" ${end}`,
      "tea/course.yaml:2:1: error: thumbnail: must be an absolute http or https URL, or empty; relative paths need --asset-base URL",
    ]);
  });
});

// Lessons are found by any ending that their files, their outlines and links to them have.
const FILES = ["stats.Rmd", "table.RMD", "plan.rmd", "old.markdown", "older.mkd", "loud.MD", "page.mdx", "plain.html"];
const STEMS = FILES.map((file) => file.replace(/\..*/, ""));

test(".markdown and .mkd are Markdown", async () => {
  const course = await readOnly({ "a.markdown": "---\nname: N\n---\n**a**", "in/b.mkd": "B.", "in/index.mkd": "I" });
  expect(outlinesOf([course])).toBe("Introduction > N; In > Introduction, B");
  expect(JSON.stringify(course)).toContain("<p><strong>a</strong></p>");
});

test("a link to a lesson may have any extension or none", async () => {
  const endings = ["", ".html", ".htm", ".md", ".mdx", ".Rmd", ".rmd", ".markdown", ".mkd", "/"];
  const hrefs = STEMS.flatMap((stem) => endings.map((ending) => `${stem}${ending}#x`));
  const { found, problems } = await read({
    "course.yaml": `name: Tea\nchapters: [{name: A, lessons: [start, ${STEMS.join(", ")}]}]`,
    "start.md": hrefs.map((href) => `[x](${href})`).join("\n"),
    ...Object.fromEntries(FILES.map((file) => [file, '<i id="x">x</i>'])),
  });
  expect(problems).toEqual([]);
  const targets = found[0]?.course.chapters[0]?.lessons[0]?.links?.map(({ target }) => target.sourcePath);
  expect(targets).toEqual(FILES.flatMap((file) => endings.map(() => file)));
});
