// What sites do with the HTML of lessons: in Node, in a bare context without anything of Node, and in a browser.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createContext, runInContext } from "node:vm";
import type * as kit from "@lectern/client/html";
import { openTestBrowser, type TestBrowser, type TestPage } from "../support/browser.ts";
import { createRandom, readRandomSettings } from "../support/random.ts";

const BUILT = fileURLToPath(new URL("../../packages/client/dist/html.cjs", import.meta.url));

let script: string;
let html: typeof kit;
beforeAll(async () => {
  script = await readFile(BUILT, "utf8");
  // As on an edge: the language, and URL of the web; no `require`, no `process`, no `Buffer`.
  const module = { exports: {} };
  runInContext(script, createContext({ module, exports: module.exports, URL, URLSearchParams }));
  html = module.exports as typeof kit;
});

/** Leads lessons to `/COURSE/LESSON/`, and other links nowhere new. */
const toPages = ({ courseId, lessonId, fragment }: kit.HtmlLink): string | undefined =>
  courseId === undefined ? undefined : `/${courseId}/${lessonId}/${fragment}`;

/** A link to a lesson has these. */
const TO = 'data-course-id="c" data-lesson-id="l"';
test.each([
  [`<a ${TO} href="../x.md#a&amp;b">x</a>`, `<a ${TO} href="/c/l/#a&amp;b">x</a>`],
  [
    `<A title='a > b' HREF=../x.md#y ${TO.toUpperCase()}>x</A>`,
    `<A title='a > b' href="/C/L/#y" ${TO.toUpperCase()}>x</A>`,
  ],
  [`<area data-course-id="&lt;" href="x">`, `<area data-course-id="&lt;" href="/&lt;/undefined/">`],
  // Two of a name: the first counts, and must stay the first.
  [`<a href="x" ${TO} HREF="javascript:1">`, `<a href="/c/l/" ${TO} >`],
  [`<svg><a xlink:href="x" ${TO}/></svg>`, `<svg><a xlink:href="/c/l/" ${TO}/></svg>`],
  // What does not change stays byte for byte.
  ["<a href = '/é?a=1&b=2' >x</a><a name=x>", "<a href = '/é?a=1&b=2' >x</a><a name=x>"],
])("links point to the pages of a site: %s", (before, after) => {
  expect(html.rewriteLinks(before, toPages)).toBe(after);
});

test.each([
  "<!-- <a href=x> --!><!--><!---><!-- > -->",
  "<script>'<a href=x>' <!-- <script> </script> <a href=x> --> </script>",
  "<style><a href=x></style><textarea><a href=x></textarea ><title><a href=x></title>",
  "<!doctype <a href=x><?php <a href=x></ <a href=x><p title='<a href=x>'></p x='<a href=x>'>",
  "<svg><![CDATA[ <a href=x> ]]></svg><xmp><a href=x></XMP><a",
  "<a href=x",
  "<a title='<a href=x>",
  "<plaintext><a href=x>",
])("no link is seen where browsers see none: %s", (text) => {
  expect(html.rewriteLinks(text, () => "/changed")).toBe(text);
});

test.each<[written: string, decoded: string]>([
  [" JaVaScRiPt:alert(1)", " JaVaScRiPt:alert(1)"],
  ["java&#10;script&colon;alert(1)", "java\nscript:alert(1)"],
  [`&#${"0".repeat(70)}106;avascript:alert(1)`, "javascript:alert(1)"],
  ["&#x6A;avascript:alert(1)", "javascript:alert(1)"],
  ["\u0001javascript:alert(1)", "\u0001javascript:alert(1)"],
  ["vbscript:x", "vbscript:x"],
  ["data:text/html,<script>alert(1)</script>", "data:text/html,<script>alert(1)</script>"],
])("an address that runs as a script is removed, whoever wrote it: %j", (written, decoded) => {
  expect(html.rewriteLinks(`<a class="a" href="${written}">x</a>`, () => undefined)).toBe('<a class="a" >x</a>');
  expect(html.rewriteLinks('<a href="x">x</a>', () => decoded)).toBe("<a >x</a>");
  expect(html.rewriteLinks('<a href="x">x</a>', () => ({ href: decoded, rel: "me" }))).toBe('<a rel="me" >x</a>');
  expect(html.rewriteImages(`<img src="${written}" alt="">`, () => undefined)).toBe('<img  alt="">');
});

test("results of a function are escaped; it can set and remove attributes except scripts", () => {
  const rewrite = (given: Parameters<typeof html.rewriteLinks>[1]): string =>
    html.rewriteLinks('<a href="x" target=_top>', given);
  expect(rewrite(() => '"><script>&')).toBe('<a href="&quot;&gt;&lt;script&gt;&amp;" target=_top>');
  expect(rewrite(() => null)).toBe("<a  target=_top>");
  expect(rewrite(() => ({ rel: "noopener", target: null }))).toBe('<a rel="noopener" href="x" >');
  expect(() => rewrite(() => ({ onclick: "alert(1)" }))).toThrow('"onclick" is not an attribute that can be set');
  expect(() => rewrite(() => ({ "x><b": "1" }))).toThrow("not an attribute");
});

test("image URLs are rewritten, including each one in a srcset", () => {
  const cdn = "https://cdn.example/";
  const render = (place: string): string =>
    `<picture><source srcset="${place}a.webp , ${place}b.webp 2x , ${place}c.webp 100w" data-theme="dark">` +
    `<img src="${place}a,b.png" alt="A &amp; B"></picture><video poster="${place}p.png" src="v.mp4"></video>` +
    `<svg><image href="${place}i.png"/></svg>`;
  const text = render("").replace('"p.png"', "p.png").replace("2x , c", "2x,c");
  const seen: string[] = [];
  const move = ({ src, element, attribute, alt }: kit.HtmlImage): string => {
    seen.push([element, attribute, alt].join(" "));
    return cdn + src;
  };
  expect(html.rewriteImages(text, move)).toBe(render(cdn));
  const sources = ["source srcset ", "source srcset ", "source srcset "];
  expect(seen).toEqual([...sources, "img src A & B", "video poster ", "image href "]);
  expect(html.rewriteImages("<img src=a.png>", () => ({ loading: "lazy" }))).toBe('<img loading="lazy" src=a.png>');
  expect(html.rewriteImages('<img src="data:image/png;base64,AA">', () => undefined)).toContain("data:image");
  expect(html.rewriteImages('<img srcset="data:text/html,x 2x, a.png">', () => undefined)).toBe("<img >");
});

test("time is linear in the length of any text", () => {
  const parts = "<|<a |<!--|<!-|<script><!--<script>|<a href='|<svg>|<a href=&amp|</|<title>|<a =".split("|");
  for (const text of [
    ...parts.map((part) => part.repeat(60_000 / part.length)),
    `<img srcset="${",".repeat(30_000)}x${"(".repeat(30_000)}">`,
    `<a href="${"&#".repeat(30_000)}">`,
    `<a ${"x ".repeat(30_000)}>`,
  ]) {
    expect(html.rewriteLinks(text, () => undefined)).toBe(text);
    expect(html.rewriteImages(text, () => undefined)).toBe(text);
  }
});

test.each([
  ["https://youtu.be/dQw4w9WgXcQ?t=42s", "https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?start=42"],
  ["https://vimeo.com/123456789/abcdef0123", "https://player.vimeo.com/video/123456789?dnt=1&h=abcdef0123"],
  ["https://example.org/watch?v=dQw4w9WgXcQ", undefined],
  ["javascript:alert(1)//youtu.be/dQw4w9WgXcQ", undefined],
  ["not an address", undefined],
])("the player of %s", (address, src) => {
  expect(html.toPlayer(address)?.src).toBe(src);
});

describe("a quiz in a page", () => {
  let browser: TestBrowser;
  let opened: TestPage;
  beforeAll(async () => {
    browser = await openTestBrowser();
    opened = await browser.openPage({ javaScriptEnabled: true });
  });
  afterAll(() => browser.close());

  const choice = (isCorrect: boolean, text: string): string =>
    `<div class="choice"><label><input type="radio" name="question-1" data-correct="${isCorrect}"> ${text}</label>` +
    `<details><summary>Explanation</summary><p>Why ${text}</p></details></div>`;
  const quiz =
    '<form class="quiz" method="dialog">' +
    `<fieldset data-question="1"><legend>One?</legend><p>Asked above</p>${choice(false, "A")}${choice(true, "B")}</fieldset>` +
    '<fieldset data-question="2"><legend>Two?</legend><input type="text" data-answers="[&quot;tea&quot;]"></fieldset>' +
    '<fieldset data-question="3"><legend>Three?</legend><input type="text"></fieldset>' +
    `<fieldset data-question="4"><input inputmode="decimal" data-answers='["98.5","1/3"]' data-tolerance="2%"></fieldset></form>`;

  test("shows results next to its questions, in the course's language, without sending anything", async () => {
    const { page } = opened;
    await page.setContent(`<main><h2>One?</h2><p>Asked above</p><div data-question="1"></div>${quiz}</main>`);
    await page.addScriptTag({ content: `{ const module = { exports: {} }; ${script}; window.kit = module.exports; }` });
    const render = "kit.renderQuiz(document.body, { language: 'fr' })";
    await page.evaluate(`${render}; ${render};`);
    expect(await page.locator("h2 ~ div fieldset .choice").count()).toBe(2);
    expect(await page.locator("button").allTextContents()).toEqual(["Vérifier"]);
    await page.getByLabel("A").check();
    expect(await page.locator(".verdict").first().textContent()).toBe("✗ Pas encore correct");
    await page.getByLabel("B").check();
    expect(await page.locator(".verdict").first().textContent()).toBe("✓ Correct");
    expect(await page.getByText("Why B").isVisible()).toBe(true);
    let verdicts = "";
    for (const [question, text] of [
      [2, " TEA "],
      ...["98,50", "100.47", "1/3", "100.48", "", "tea"].map((each) => [4, each]),
    ]) {
      await page.locator(`[data-question="${question}"] input`).fill(`${text}`);
      await page.locator(`[data-question="${question}"] input`).press("Enter");
      verdicts += (await page.locator(`[data-question="${question}"] .verdict`).textContent())?.[0];
    }
    // Numbers are compared within their tolerance.
    expect(verdicts).toBe("✓✓✓✓✗✗✗");
    expect(await page.locator("[data-ready]").count()).toBe(3);
    expect(page.url()).toBe("about:blank");
    expect([...opened.errors, ...opened.refusals]).toEqual([]);
  });

  test("alternatives become tabs, and groups with the same name switch together", async () => {
    const { page } = opened;
    const option = (name: string): string =>
      `<div class="option" data-option="${name}"><p class="option-title">${name}</p><p>Text of ${name}</p></div>`;
    const group = (name: string): string =>
      `<div class="options" data-options="${name}">${option("npm")}${option("bun")}</div>`;
    const text = group("tool") + group("tool") + group("");
    await page.evaluate(`document.body.innerHTML = ${JSON.stringify(text)}`);
    await page.evaluate("kit.renderTabs(document.body); kit.renderTabs(document.body)");
    const shown = (): Promise<string[]> => page.locator(".option:visible > p:last-child").allTextContents();
    expect(await shown()).toEqual(["Text of npm", "Text of npm", "Text of npm"]);
    await page.getByRole("tab", { name: "npm" }).first().press("ArrowLeft");
    expect(await shown()).toEqual(["Text of bun", "Text of bun", "Text of npm"]);
    await page.getByRole("tab", { name: "bun" }).last().click();
    expect(await shown()).toEqual(["Text of bun", "Text of bun", "Text of bun"]);
    expect(await page.getByRole("tab", { selected: true }).count()).toBe(3);
  });

  test("links are found where a browser finds them in any text", async () => {
    const { seed, rounds } = readRandomSettings(3000);
    const random = createRandom(seed);
    const parts =
      `<area href=1>|<area href='2>'>|<area href="&amp;&#x41;&lt">|<area/href=3/>|<area\nHREF = 4 href=5>|<!--|-->|--!>|->|>|<|</|` +
      `<!|<?|<script>|</script>|<style>|</style |<title>|</title>|<textarea|</textarea>|<xmp>|</xmp/>|<p title='|'|"|=|/| |x|-|&|` +
      `&amp|&eacute;|<area href=&copy=1>|<area =href=1 href>|<iframe>|</iframe>|<b x=|</b '>'>|<![CDATA[|]]>|<sCript `;
    const pieces = parts.split("|");
    const texts = Array.from({ length: rounds }, () =>
      Array.from({ length: 1 + random.below(14) }, () => random.pick(pieces)).join(""),
    );
    const seen = texts.map((text): unknown => {
      const found: string[] = [];
      html.rewriteLinks(text, ({ href }) => void found.push(href));
      return [text, found.sort()];
    });
    const find = `(text) => [...new DOMParser().parseFromString("<body>" + text, "text/html").querySelectorAll("area[href]")]
      .map((area) => area.getAttribute("href")).sort()`;
    const shown: unknown = await opened.page.evaluate(
      `${JSON.stringify(texts)}.map((text) => [text, (${find})(text)])`,
    );
    const [found, wanted]: unknown[] = [seen, shown];
    expect({ seed, found }).toEqual({ seed, found: wanted });
  });
});
