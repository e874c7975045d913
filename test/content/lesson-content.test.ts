import { describe, expect, test } from "bun:test";
import { read, readLesson, readOnly, render } from "../support/written-folder.ts";

describe("front matter", () => {
  test("sets a lesson's fields and overrides the outline", async () => {
    const course = await readOnly({
      "course.yaml":
        "name: Tea\nchapters:\n  - {name: A, lessons: [{file: a, name: Outline, id: outline, url: 'https://o.example'}]}",
      "a.md": `---
id: 007
name: "Front: matter"
url: https://example.org/a.mp4
quizHtml: |
  <b>?</b>
createdAt: 2026-01-31
updatedAt: 2026-02-01T00:00:00Z
---
# Heading
`,
    });
    expect(course.chapters[0]?.lessons[0]).toEqual({
      id: "007",
      name: "Front: matter",
      url: "https://example.org/a.mp4",
      quizHtml: "<b>?</b>\n",
      additionalText: '<h1 id="heading">Heading</h1>\n',
      createdAt: "2026-01-31T00:00:00.000Z",
      updatedAt: "2026-02-01T00:00:00.000Z",
      sourcePath: "a.md",
      translationKey: "a",
    });
  });

  test("title is the fallback after name and the outline's name, before heading and file name", async () => {
    const nameOf = async (frontMatter: string, outline: string) => {
      const course = await readOnly({
        "course.yaml": `name: Tea\nchapters: [{name: A, lessons: [${outline}]}]`,
        "a.md": `---\n${frontMatter}\n---\n# Heading\n`,
      });
      return course.chapters[0]?.lessons[0]?.name;
    };
    expect(await nameOf("name: Name\ntitle: Title", "{file: a, name: Outline}")).toBe("Name");
    expect(await nameOf("title: Title", "{file: a, name: Outline}")).toBe("Outline");
    expect(await nameOf("title: Title", "a")).toBe("Title");
    expect(await nameOf("title: ' '", "a")).toBe("Heading");
    expect(await nameOf("title:", "a")).toBe("Heading");
    expect((await readLesson("1.html", "---\ntitle: Title\n---\nx")).lesson?.name).toBe("Title");
    const { lesson, problems } = await readLesson("1.md", "---\ntitle: [a, b]\n---\n# Heading\n");
    expect(lesson?.name).toBe("Heading");
    expect(problems).toEqual(["01-part/1.md:2:1: warning: title is ignored: it must be text"]);
  });

  test("is absent if a blank line without fields follows: that is a thematic break", async () => {
    const html = async (text: string) => (await readLesson("1.md", text)).lesson?.additionalText;
    expect(await html("---\n\n# Tea\n\nx\n\n---\n")).toBe('<hr>\n<h1 id="tea">Tea</h1>\n<p>x</p>\n<hr>\n');
    expect(await html("---\n\nx: *y\n\n---\n")).toBe("<hr>\n<p>x: *y</p>\n<hr>\n");
    expect(await html("---\n\nx")).toBe("<hr>\n<p>x</p>\n");
    expect(await html("---\n\n# comment\nname: A\n---\nx")).toBe("<p>x</p>\n");
    expect(await html("---\n\n---\nx")).toBe("<p>x</p>\n");
  });

  test("problems have the line in the file", async () => {
    expect((await readLesson("1.md", "---\nname: A\ncreatedAt: soon\n---\nx")).problems).toEqual([
      "01-part/1.md:3:1: error: chapters[0].lessons[0].createdAt: must be a date such as 2026-01-31, or a date and time with a zone such as 2026-01-31T09:30:00Z",
    ]);
    expect((await readLesson("1.md", "---\nname: a: b\n---\nx")).problems).toEqual([
      '01-part/1.md:2:7: error: Nested mappings are not allowed in compact mappings; quote a text that contains ": "',
    ]);
    expect((await readLesson("1.md", "---\nname: A\n\nx")).problems).toEqual([
      "01-part/1.md:1: error: the front matter that begins here is not closed; end it with a line ---",
    ]);
    expect((await readLesson("1.md", "---\n- a\n---\nx")).problems).toEqual([
      "01-part/1.md:2:1: error: the front matter must contain fields such as name: Title",
    ]);
    expect((await readLesson("1.md", "---\nadditionalText: no\n---\nx")).problems).toEqual([
      "01-part/1.md:2:1: warning: additionalText is ignored: the file already contains the lesson's text",
    ]);
  });

  test("may have CRLF and a byte order mark, and may be empty", async () => {
    const { lesson, problems } = await readLesson("1.md", "\uFEFF---\r\nname: A\r\n---\r\n![](/x.png)\r\n");
    expect(lesson?.name).toBe("A");
    expect(problems).toEqual([
      '01-part/1.md:4: warning: image "/x.png" is relative, and without --public-url or --asset-base readers cannot load it',
    ]);
    expect((await readLesson("1.md", "---\n---\nx")).lesson?.additionalText).toBe("<p>x</p>\n");
  });
});

describe("text", () => {
  const WORD = "fine é – „x“\n";
  const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, "utf16le");
  test.each([
    ["UTF-8 with a byte order mark", Buffer.from(`\ufeff${WORD}`), undefined],
    ["UTF-16, little-endian", utf16(WORD), undefined],
    ["UTF-16, big-endian", utf16(WORD).swap16(), undefined],
    [
      "Windows-1252",
      Buffer.from("fine \xe9 \x96 \x84x\x93\n", "latin1"),
      "1: warning: is not UTF-8, and is read as Windows-1252; save the file as UTF-8",
    ],
  ])("in %s is read", async (_, bytes, problem) => {
    const { lesson, problems } = await readLesson("1.md", bytes);
    expect(lesson?.additionalText).toBe("<p>fine é – „x“</p>\n");
    expect(problems).toEqual(problem === undefined ? [] : [`01-part/1.md:${problem}`]);
  });

  test("in Windows-1252 is reported at its first line that is not UTF-8", async () => {
    const bytes = Buffer.concat([Buffer.from("fine é\n"), Buffer.from([0x63, 0xe9, 0x0a, 0xe9])]);
    const { lesson, problems } = await readLesson("1.md", bytes);
    expect(lesson?.additionalText).toBe("<p>fine Ã©\ncé\né</p>\n");
    expect(problems).toEqual([
      "01-part/1.md:2: warning: is not UTF-8, and is read as Windows-1252; save the file as UTF-8",
    ]);
  });

  test.each([
    ["a byte without a character", Buffer.from("a\nb \xe9\x81", "latin1"), 2, "is neither UTF-8 nor Windows-1252"],
    [
      "a NUL beside a byte that is not UTF-8",
      Buffer.from("a\n\xe9\0", "latin1"),
      2,
      "is neither UTF-8 nor Windows-1252",
    ],
    ["UTF-16 without its mark", Buffer.from(WORD, "utf16le"), 1, "is neither UTF-8 nor Windows-1252"],
    ["half a character of UTF-16", utf16(WORD).subarray(0, 9), 1, "is not valid UTF-16LE"],
  ])("with %s is an error at its line", async (_, bytes, line, what) => {
    const { lesson, problems } = await readLesson("1.md", bytes);
    expect(lesson).toBeUndefined();
    expect(problems).toEqual([`01-part/1.md:${line}: error: ${what}; save the file as UTF-8`]);
  });

  test("in HTML stays byte for byte after the front matter", async () => {
    const html = "\r\n<p CLASS=x>&nbsp;<b>&amp</b>\t<img src='https://x.example/a b.png'>\r\n<Tip>``` {#if}";
    expect(await render("1.html", `---\r\nname: A\r\n---\r\n${html}`)).toBe(html);
  });

  const HEADING = "## The `x` part[[the-x]]\n\nSee [[the-x]].\n\nA\n===";
  const WITH_ANCHOR = '<h2 id="the-x">The <code>x</code> part</h2>\n<p>See [[the-x]].</p>\n<h1 id="a">A</h1>\n';

  test("has double brackets after a heading as its anchor in MDX, and as text elsewhere", async () => {
    expect(await render("1.mdx", HEADING)).toBe(WITH_ANCHOR);
    expect(await render("1.md", "## Objects have a [[Prototype]]")).toBe(
      '<h2 id="objects-have-a-prototype">Objects have a [[Prototype]]</h2>\n',
    );
    expect((await readLesson("1.md", "# The [[Prototype]]")).lesson?.name).toBe("The [[Prototype]]");
  });

  test("has them as an anchor in every file of a course with a _toctree.yml", async () => {
    const files = { "_toctree.yml": "- title: A\n  sections:\n  - local: a\n    title: A", "a.md": HEADING };
    const htmlOf = async (more: Record<string, string>) =>
      (await readOnly({ ...files, ...more })).chapters[0]?.lessons[0]?.additionalText;
    expect(await htmlOf({})).toBe(WITH_ANCHOR);
    expect(await htmlOf({ "course.yaml": "name: Tea" })).toBe(WITH_ANCHOR);
    // There it is not the outline.
    expect(await htmlOf({ "course.yaml": "name: Tea\nchapters: [{name: A, lessons: [a]}]" })).toContain(
      "part[[the-x]]",
    );
  });

  test("has its first level-1 heading as the lesson's name, without markup", async () => {
    const nameOf = async (text: string) => (await readLesson("02-file_name.md", text)).lesson?.name;
    expect(await nameOf("## Two\n\n# *One* `two` [three](https://x.example) &amp; \\*\n\n# Other")).toBe(
      "One two three & *",
    );
    expect(await nameOf("## Only two")).toBe("File name");
    expect(await nameOf("```\n# code\n```")).toBe("File name");
  });
});

const toFrame = (id: string): string =>
  `<iframe src="https://www.youtube-nocookie.com/embed/${id}" title="YouTube video" loading="lazy" allowfullscreen ` +
  'referrerpolicy="strict-origin-when-cross-origin"></iframe>';

describe("MDX", () => {
  test("uses the first video as the url, unless the author sets one", async () => {
    const text = 'Text\n\n<Youtube id="a_b-1" />\n\n<Youtube id="c"/>\n';
    expect(await readLesson("1.mdx", text)).toMatchObject({
      lesson: { url: "https://www.youtube.com/watch?v=a_b-1", additionalText: `<p>Text</p>\n${toFrame("c")}\n` },
      problems: [],
    });
    expect(await readLesson("1.mdx", `---\nurl: https://own.example\n---\n${text}`)).toMatchObject({
      lesson: {
        url: "https://own.example",
        additionalText: `<p>Text</p>\n${toFrame("a_b-1")}\n${toFrame("c")}\n`,
      },
      problems: [],
    });
    expect((await readLesson("1.mdx", "<Vimeo videoId={'42'} />")).lesson?.url).toBe("https://vimeo.com/42");
  });

  test("keeps text that only resembles a tag", async () => {
    expect(await render("1.mdx", "a < B and <<SYS>> {name} <https://x.example/A>\n")).toBe(
      '<p>a &lt; B and &lt;<SYS>&gt; {name} <a href="https://x.example/A">https://x.example/A</a></p>\n',
    );
  });

  test("drops control lines other than branches, keeps their content, and drops comments silently", async () => {
    const text = "{#each all as one}\nOne\n{/each}\n\n{/* note\n to self */}\n{#if a}\nnever closed\n";
    const { lesson, problems } = await readLesson("1.mdx", text);
    expect(lesson?.additionalText).toBe("<p>One</p>\n<p>never closed</p>\n");
    expect(problems).toEqual([
      "01-part/1.mdx:1: warning: control line {#if …}, whose branches are all kept, is dropped (2 times in this file)",
    ]);
  });
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
    const end = "is relative, and without --public-url or --asset-base";
    expect(problems).toEqual([
      `01-part/1.html:1: warning: link "b.htm?a=1&b=2#c" ${end} readers cannot follow it`,
      `01-part/1.html:2: warning: image "img/a.png" ${end} readers cannot load it`,
      `01-part/1.html:2: warning: image "/c.png" ${end} readers cannot load it`,
      `01-part/1.html:3: warning: image "p.png" ${end} readers cannot load it`,
      `01-part/1.html:3: warning: file "d.pdf" ${end} readers cannot load it`,
      `01-part/1.html:5: warning: image "s.png" ${end} readers cannot load it`,
    ]);
  });

  test("are found at their lines in Markdown links, images and HTML", async () => {
    const text =
      '---\nname: A\n---\nOne\n[two](b.md), <a href="c.md">\nthree</a>\n\n| a |\n|---|\n| ![](ả.png) |\n\n<div>\n<img src="d.png">\n</div>\n\n> [!TIP]\n> One\n> [two][ref]\n\n[ref]: e.md\n';
    const { problems } = await readLesson("1.md", text);
    expect(problems.map((problem) => /md:(\d+): .* "(.*)"/.exec(problem)?.slice(1).join(" "))).toEqual([
      "5 b.md",
      "5 c.md",
      "10 ả.png",
      "13 d.png",
      "18 e.md",
    ]);
    const { lesson } = await readLesson("1.md", text, { assetBase: "https://assets.example" });
    for (const url of ["b.md", "c.md", "%E1%BA%A3.png", "d.png", "e.md"]) {
      expect(lesson?.additionalText).toContain(`"https://assets.example/01-part/${url}"`);
    }
  });

  test("without text are named after the last part of their path", async () => {
    const { lesson, problems } = await readLesson("1.md", "[](a/b) [](/)\n");
    expect(lesson?.additionalText).toEndWith(`/b" data-unresolved="">b</a> <a href="/" data-unresolved="">/</a></p>\n`);
    expect(problems).toHaveLength(2);
  });

  test("are also resolved in a lesson's url and quiz and in a course's thumbnail", async () => {
    const files = {
      "tea/course.yaml": "name: Tea\nthumbnail: img/tea.jpg\nchapters: [{name: A, lessons: [in/a]}]",
      "tea/img/tea.jpg": "",
      "tea/in/a.mp4": "",
      "tea/in/q.htm": "",
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
