// What readers see of a lesson: the frame in the explorer's page, in a real browser.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { FrameLocator } from "playwright-core";
import { openExplorer, openLessonFrame, showLesson, type TestExplorer } from "../support/explorer.ts";
import { waitFor } from "../support/server.ts";

let { server, opened, close } = {} as TestExplorer;
let frame: FrameLocator;
beforeAll(async () => {
  ({ server, opened, close } = await openExplorer());
  await openLessonFrame(opened, server.url);
  frame = opened.page.frameLocator('iframe[title="Lesson"]');
});
afterAll(() => close());
beforeEach(() => {
  for (const list of [opened.outsideRequests, opened.refusals, opened.errors]) list.length = 0;
});

const SCROLL_PADDING = "parseFloat(getComputedStyle(document.documentElement).scrollPaddingBlockStart)";
const evaluate = async <T>(script: string): Promise<T> => (await opened.page.evaluate(script)) as T;
/** Evaluates in the frame. */
const readInside = async <T>(script: string): Promise<T> => {
  const inside = opened.page.frames().find((each) => each.url().includes("/explorer/lesson"));
  return (await inside?.evaluate(script)) as T;
};
const hasScrolled = (): Promise<void> => waitFor(async () => (await evaluate<number>("scrollY")) > 2000);
/** Presses a key by `press`, and waits until the page has it. */
async function expectKey(key: string, press: () => Promise<void>): Promise<void> {
  await evaluate("addEventListener('keydown', ({ key }) => (globalThis.pressed = key))");
  await press();
  await waitFor(async () => (await evaluate("globalThis.pressed")) === key);
}

test("formulas are typeset; an invalid one is shown as written", async () => {
  const formula = '<span class="math inline">a^2</span> <div class="math display">\\frac{a</div>';
  await showLesson(opened, { additionalText: formula });
  expect(await frame.locator(".katex math").count()).toBe(1);
  expect(await frame.locator(".math.unreadable").textContent()).toBe("\\frac{a");
  const fonts = 'document.fonts.ready.then(() => [...document.fonts].some((each) => each.status === "loaded"))';
  expect(await readInside(fonts)).toBe(true);
});

test("code in known languages is highlighted when it scrolls into view", async () => {
  const toCode = (language: string, text: string) => `<pre><code class="language-${language}">${text}</code></pre>`;
  const code = toCode("rust", "let a = 1;") + toCode("tea", "let");
  await showLesson(opened, { additionalText: code });
  await frame.locator(".hljs-keyword").waitFor();
  expect(await frame.locator("pre").allTextContents()).toEqual(["let a = 1;", "let"]);
});

test("a video from a listed host has its own frame above the lesson; others are a player or a link", async () => {
  await showLesson(opened, { url: "https://youtu.be/abcdefghijk?t=30", additionalText: "<p>Text" });
  const player = opened.page.locator('iframe[title="Video on YouTube"]');
  expect(await player.getAttribute("src")).toBe("https://www.youtube-nocookie.com/embed/abcdefghijk?start=30");
  const [place, box] = await Promise.all([frame.locator(".embed").boundingBox(), player.boundingBox()]);
  expect(box).toEqual(place);
  await showLesson(opened, { url: "https://cdn.example/tea.mp4" });
  expect(await frame.locator("video[controls]").getAttribute("src")).toBe("https://cdn.example/tea.mp4");
  await showLesson(opened, { url: "https://video.example/tea" });
  expect(await frame.locator("a").getAttribute("href")).toBe("https://video.example/tea");
  expect(await player.count()).toBe(0);
  // In the text, too; other pages are links.
  const text = `<p>Above</p><iframe src="https://codepen.io/tea/embed/abcDEF"></iframe>
    <iframe src="//player.vimeo.com/video/76979871"></iframe><iframe src="https://other.example/x" title="Tea"></iframe>`;
  await showLesson(opened, { additionalText: text });
  expect(await opened.page.locator(".lesson-embeds iframe").count()).toBe(2);
  expect(await frame.locator(".elsewhere a").textContent()).toBe("Tea (other.example)");
  expect(await frame.locator("iframe").count()).toBe(0);
});

test("links open lessons and headings in place, and other pages in a new tab", async () => {
  const text = `<a id="lesson" data-course-id="c" data-lesson-id="l2" href="../b.md#kinds">Next</a>
    <a id="place" href="#below">Below</a><a id="outside" href="${server.url}/openapi.json" target="_top">Out</a>
    <a id="path" href="../tea.md">Path</a><div style="height: 3000px"></div><h2 id="below">Below</h2>`;
  await showLesson(opened, { additionalText: text }, { release: 3 });
  expect(await frame.locator("#lesson").getAttribute("href")).toBe("../#/courses/c/l2?release=3&at=kinds");
  await frame.locator("#lesson").click();
  await waitFor(async () => (await evaluate<number>("openedLessons.length")) === 1);
  expect(await evaluate<string[][]>("openedLessons")).toEqual([["c", "l2", "kinds"]]);
  await expectKey("j", () => opened.page.keyboard.press("j"));
  await frame.locator("#place").click();
  await hasScrolled();
  const [tab] = await Promise.all([opened.context.waitForEvent("page"), frame.locator("#outside").click()]);
  expect(await tab.evaluate("opener")).toBeNull();
  await tab.close();
  expect(await frame.locator("#path").getAttribute("href")).toBeNull();
  expect(opened.page.url()).toBe(`${server.url}/`);
});

test("a lesson opens at the heading in its URL", async () => {
  const additionalText = '<div style="height: 3000px"></div><h2 id="größe">Size</h2>';
  await showLesson(opened, { additionalText }, { fragment: "größe" });
  await hasScrolled();
});

test("a quiz with answers checks them next to its questions, and sends nothing", async () => {
  const ask = (number: number, answer: string): string =>
    `<fieldset data-question="${number}"><legend>Which?</legend><p>Context ${number}</p>` +
    `<div class="choice"><label><input type="radio" data-correct="true"> ${answer}</label></div></fieldset>`;
  const quizHtml = `<form class="quiz" method="dialog">${ask(1, "Green")}${ask(2, "Black")}</form>`;
  await showLesson(opened, { quizHtml, additionalText: '<p>Context 1</p><div data-question="1"></div>' });
  await frame.getByLabel("Green").check();
  expect(await frame.getByRole("status").first().textContent()).toContain("Right");
  expect(await frame.locator(".text fieldset").count()).toBe(1);
  expect(await frame.getByText("Context").allTextContents()).toEqual(["Context 1", "Context 2"]);
  await expectKey("/", () => frame.getByLabel("Green").press("/"));
});

test("an image that cannot load shows its name and the reason", async () => {
  const images = `<img src="img/leaf.png" alt="A leaf"><img src="${server.url}/assets/0/none.png" alt="">`;
  await showLesson(opened, { additionalText: images });
  await frame.getByText("did not load").waitFor();
  const [path = "", address] = await frame.locator(".missing").allTextContents();
  expect(path).toMatch(/^Image not shown: img\/leaf\.png is a path.*, or had no --public-url.* Description: A leaf$/);
  expect(address).toContain("/assets/0/none.png did not load");
});

test("formulas are typeset as they near the viewport, without moving the text in view", async () => {
  const part = (index: number): string =>
    `<h2 id="part-${index}">Part ${index}</h2><div class="math display">\\sum_{k=1}^{${index}} \\frac{k^2}{k+1}</div>`;
  const parts = Array.from({ length: 180 }, (_, index) => part(index));
  await showLesson(opened, { additionalText: `<p><a href="#part-90">Go</a></p>${parts.join("")}` });
  const areSet = (first: number, last: number): Promise<boolean> =>
    readInside(
      `[...document.querySelectorAll(".math")].slice(${first}, ${last}).every((each) => each.children.length > 0)`,
    );
  // What the browser rounds, and no line.
  const isAtTop = async (): Promise<boolean> => {
    const { y = 0 } = (await frame.locator("#part-90").boundingBox()) ?? {};
    return Math.abs(y - (await evaluate<number>(SCROLL_PADDING))) < 3;
  };
  await waitFor(() => areSet(0, 20));
  expect(await areSet(80, 81)).toBe(false);
  await frame.getByText("Go").click();
  // Those above, too: they are higher than what stood there before.
  await waitFor(() => areSet(85, 95));
  await waitFor(isAtTop);
  expect(await areSet(170, 171)).toBe(false);
  await readInside("dispatchEvent(new Event('beforeprint'))");
  expect(await areSet(0, 180)).toBe(true);
  await waitFor(isAtTop);
});

test("Arabic text is right-aligned, but not its code", async () => {
  const additionalText = "<p>çay</p><pre>tea</pre>";
  for (const language of ["ar", "az-Arab"]) {
    await showLesson(opened, { additionalText }, { language });
    const directions = '[...document.querySelectorAll("p, pre")].map((each) => getComputedStyle(each).direction)';
    expect(await readInside<string[]>(directions)).toEqual(["rtl", "ltr"]);
  }
});

test("messages of a quiz are in the course's language, or marked as English", async () => {
  const quizHtml = `<fieldset><legend>?</legend><input type="checkbox" aria-label="x" data-correct="false"></fieldset>`;
  for (const [language, lang, word] of [
    ["zh-TW", "zh-hant", "檢查"],
    ["gsw", "en", "Check"],
  ] as const) {
    await showLesson(opened, { quizHtml }, { language });
    expect(await frame.getByRole("button", { name: word }).getAttribute("lang")).toBe(lang);
  }
});

test("a lesson that grows with its frame stops growing", async () => {
  await showLesson(opened, { additionalText: '<div style="height: 110vh">Tall</div>' });
  await frame.locator("html.keeps-height").waitFor({ state: "attached" });
});

test("a long lesson renders in pieces, and the next lesson replaces it", async () => {
  const long = "<p>Tea is a drink.</p>".repeat(4000);
  await evaluate(`void mountLesson(${JSON.stringify({ lesson: { id: "long", additionalText: long } })})`);
  await frame.locator("p").first().waitFor();
  await showLesson(opened, { id: "longer", additionalText: `${long}<p>The end` }, { inPlace: true });
  expect(await frame.locator("html.keeps-height").count()).toBe(0);
  const [inside, outside] = [await frame.locator("body").boundingBox(), await frame.owner().boundingBox()];
  expect(Math.ceil(inside?.height ?? 0)).toBe(outside?.height ?? 0);
  await showLesson(opened, { id: "short", additionalText: "<p>Short</p>" }, { inPlace: true });
  expect(await frame.locator("p").allTextContents()).toEqual(["Short"]);
});
