// What readers see of a lesson: the frame in the explorer's page, in a real browser.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Frame, FrameLocator } from "playwright-core";
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
const frameOf = (part: string): Frame | undefined => opened.page.frames().find((each) => each.url().includes(part));
const evaluate = async <T>(script: string): Promise<T> => (await opened.page.evaluate(script)) as T;

test("formulas are typeset; an invalid one is shown as written", async () => {
  const formula = '<span class="math inline">a^2</span> <div class="math display">\\frac{a</div>';
  await showLesson(opened, { additionalText: formula });
  expect(await frame.locator(".katex math").count()).toBe(1);
  expect(await frame.locator(".math.unreadable").textContent()).toBe("\\frac{a");
  expect(await frame.locator(".math.unreadable").getAttribute("title")).toContain("KaTeX");
  const fonts = 'document.fonts.ready.then(() => [...document.fonts].some((each) => each.status === "loaded"))';
  expect(await frameOf("/explorer/lesson")?.evaluate(fonts)).toBe(true);
});

test("code in known languages is highlighted when it scrolls into view", async () => {
  const code =
    '<pre><code class="language-rust">let a = 1;</code></pre><pre><code class="language-tea">let</code></pre>';
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
});

test("a pen and a video in the text have their own frames; other pages are links", async () => {
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
  await showLesson(opened, { additionalText: text });
  expect(await frame.locator("#lesson").getAttribute("href")).toBe("../#/courses/c/l2?at=kinds");
  await frame.locator("#lesson").click();
  await waitFor(async () => (await evaluate<number>("openedLessons.length")) === 1);
  expect(await evaluate<string[][]>("openedLessons")).toEqual([["c", "l2", "kinds"]]);
  await opened.page.evaluate("addEventListener('keydown', ({ key }) => (globalThis.pressed = key))");
  await opened.page.keyboard.press("j");
  await waitFor(async () => (await evaluate("globalThis.pressed")) === "j");
  await frame.locator("#place").click();
  await waitFor(async () => (await evaluate<number>("scrollY")) > 2000);
  const [tab] = await Promise.all([opened.context.waitForEvent("page"), frame.locator("#outside").click()]);
  expect(await tab.evaluate("opener")).toBeNull();
  await tab.close();
  expect(await frame.locator("#path").getAttribute("href")).toBeNull();
  expect(opened.page.url()).toBe(`${server.url}/`);
});

test("a link to a lesson keeps the selected release, also in a new tab", async () => {
  const additionalText = '<a data-course-id="c" data-lesson-id="l2" href="../b.md">Next</a>';
  await showLesson(opened, { additionalText }, { release: 3 });
  expect(await frame.getByText("Next").getAttribute("href")).toBe("../#/courses/c/l2?release=3");
});

test("a lesson opens at the heading in its URL", async () => {
  await showLesson(
    opened,
    { additionalText: '<div style="height: 3000px"></div><h2 id="größe">Size</h2>' },
    { fragment: "größe" },
  );
  await waitFor(async () => (await evaluate<number>("scrollY")) > 2000);
});

test("a quiz with answers checks them next to its questions, and sends nothing", async () => {
  const choice = (text: string, isCorrect: boolean): string => `<div class="choice"><label><input type="radio"
    name="question-1" data-correct="${isCorrect}"> ${text}</label><details><summary>Why</summary>Since.</details></div>`;
  const ask = (number: number, choices: string): string =>
    `<fieldset data-question="${number}"><legend>Which?</legend><p>Context ${number}</p>${choices}</fieldset>`;
  const [first, second] = [ask(1, choice("Green", true) + choice("Dry", false)), ask(2, choice("Black", true))];
  const quizHtml = `<form class="quiz" method="dialog">${first}${second}</form>`;
  await showLesson(opened, { quizHtml, additionalText: '<p>Context 1</p><div data-question="1"></div>' });
  await frame.getByLabel("Dry").check();
  expect(await frame.getByRole("status").first().textContent()).toContain("Not right");
  await frame.getByLabel("Green").check();
  expect(await frame.getByRole("status").first().textContent()).toContain("Right");
  expect(await frame.locator("details[open]").count()).toBe(2);
  expect(await frame.locator(".text fieldset").count()).toBe(1);
  expect(await frame.getByText("Context").allTextContents()).toEqual(["Context 1", "Context 2"]);
  await opened.page.evaluate("addEventListener('keydown', ({ key }) => (globalThis.pressed = key))");
  await frame.getByLabel("Green").press("/");
  await waitFor(async () => (await evaluate("globalThis.pressed")) === "/");
});

test("a number is compared as a number, within its tolerance", async () => {
  const field = `<input type="text" inputmode="decimal" aria-label="Answer" data-answers='["98.5","1/3"]' data-tolerance="2%">`;
  await showLesson(opened, {
    quizHtml: `<form method="dialog"><fieldset><legend>?</legend>${field}</fieldset></form>`,
  });
  const judge = async (text: string): Promise<string | null> => {
    await frame.getByLabel("Answer").fill(text);
    await frame.getByLabel("Answer").press("Enter");
    return frame.getByRole("status").textContent();
  };
  const verdicts: (string | null)[] = [];
  for (const text of ["98,50", "100.47", "1/3", "100.48", "", "tea"]) verdicts.push(await judge(text));
  expect(verdicts.map((verdict) => verdict?.slice(0, 1))).toEqual(["✓", "✓", "✓", "✗", "✗", "✗"]);
});

test("an image that cannot load shows its name and the reason", async () => {
  const images = `<img src="img/leaf.png" alt="A leaf"><img src="${server.url}/assets/0/none.png" alt="">`;
  await showLesson(opened, { additionalText: images });
  await frame.getByText("did not load").waitFor();
  const [path = "", address = ""] = await frame.locator(".missing").allTextContents();
  expect(path).toStartWith("Image not shown: img/leaf.png is a path");
  expect(path).toContain("no such file, or had no --public-url");
  expect(path).toEndWith(" Description: A leaf");
  expect(address).toContain("/assets/0/none.png did not load");
});

test("boxes have the color of their kind, and program output differs from input", async () => {
  const kinds = ["challenge", 'callout" data-callout="tip', "prereq", 'callout" data-callout="warning', "objectives"];
  const boxes = kinds.map((kind) => `<div class="${kind}"><p>Tea</p></div>`).join("");
  const code =
    '<pre><code class="language-python">1</code></pre><pre><code class="language-python" data-out>1</code></pre>';
  const solution = "<details open><summary>Solution</summary><p><code>tea</code></p></details>";
  await showLesson(opened, { additionalText: boxes + code + solution });
  const styleOf = (places: string, name: string): Promise<string[]> | undefined =>
    frameOf("/explorer/lesson")?.evaluate(
      `[...document.querySelectorAll("${places}")].map((each) => getComputedStyle(each).${name})`,
    );
  const [challenge, tip, prereq, warning, objectives] = (await styleOf("section > div", "borderLeftColor")) ?? [];
  expect([challenge, prereq]).toEqual([tip, warning]);
  expect(new Set([challenge, prereq, objectives]).size).toBe(3);
  expect(await styleOf("pre", "borderTopStyle")).toEqual(["solid", "dashed"]);
  expect(await styleOf("details code", "backgroundColor")).not.toEqual(await styleOf("details", "backgroundColor"));
});

test("all lines of a choice are aligned", async () => {
  const choice = `<label><input type="radio" name="a"> ${"leaves and ".repeat(40)}</label>`;
  await showLesson(opened, { quizHtml: `<form><div class="choice">${choice}</div></form>` });
  const lefts = await frameOf("/explorer/lesson")?.evaluate(`(() => {
    const range = document.createRange();
    range.selectNodeContents(document.querySelector("label"));
    range.setStart(document.querySelector("label").lastChild, 1);
    return [...range.getClientRects()].filter(({ width }) => width > 0).map(({ left }) => Math.round(left));
  })()`);
  expect((lefts as number[]).length).toBeGreaterThan(1);
  expect(new Set(lefts as number[]).size).toBe(1);
});

test("formulas are typeset as they near the viewport, without moving the text in view", async () => {
  const part = (index: number): string =>
    `<h2 id="part-${index}">Part ${index}</h2><div class="math display">\\sum_{k=1}^{${index}} \\frac{k^2}{k+1}</div>`;
  const parts = Array.from({ length: 180 }, (_, index) => part(index));
  await showLesson(opened, { additionalText: `<p><a href="#part-90">Go</a></p>${parts.join("")}` });
  const inside = frameOf("/explorer/lesson");
  const areSet = (first: number, last: number): string =>
    `[...document.querySelectorAll(".math")].slice(${first}, ${last}).every((each) => each.firstElementChild !== null)`;
  const waitUntilSet = async (first: number, last: number): Promise<void> =>
    waitFor(async () => (await inside?.evaluate(areSet(first, last))) === true);
  // What the browser rounds, and no line.
  const isAtTop = async (): Promise<boolean> => {
    const { y = 0 } = (await frame.locator("#part-90").boundingBox()) ?? {};
    return Math.abs(y - (await evaluate<number>(SCROLL_PADDING))) < 3;
  };
  await waitUntilSet(0, 20);
  expect(await inside?.evaluate(areSet(80, 81))).toBe(false);
  await frame.getByText("Go").click();
  // Those above, too: they are higher than what stood there before.
  await waitUntilSet(85, 95);
  await waitFor(isAtTop);
  expect(await inside?.evaluate(areSet(170, 171))).toBe(false);
  await inside?.evaluate("dispatchEvent(new Event('beforeprint'))");
  expect(await inside?.evaluate(areSet(0, 180))).toBe(true);
  await waitFor(isAtTop);
});

test("short inline code stays on one line; long code does not widen the page", async () => {
  const text = `<p>${Array.from({ length: 99 }, (_, index) => `${"x".repeat(index % 13)} <code>cut -w -r</code>`).join(" ")}<code>${"a-b".repeat(200)}</code></p>`;
  await showLesson(opened, { additionalText: text });
  const lines = (await frameOf("/explorer/lesson")?.evaluate(
    '[...document.querySelectorAll("code")].map((each) => each.getClientRects().length)',
  )) as number[];
  expect(new Set(lines.slice(0, -1))).toEqual(new Set([1]));
  expect(lines.at(-1)).toBeGreaterThan(1);
});

test("Arabic text is right-aligned, but not its code", async () => {
  await showLesson(opened, { additionalText: "<p>شاي</p><pre>tea</pre>" }, { language: "ar" });
  const direction = async (place: string): Promise<unknown> =>
    frameOf("/explorer/lesson")?.evaluate(`getComputedStyle(document.querySelector("${place}")).direction`);
  expect(await direction("p")).toBe("rtl");
  expect(await direction("pre")).toBe("ltr");
  await showLesson(opened, { additionalText: "<p>çay</p>" }, { language: "az-Arab" });
  expect(await direction("p")).toBe("rtl");
});

test("messages of a quiz are in the course's language, or marked as English", async () => {
  const quizHtml = `<fieldset><legend>?</legend><input type="checkbox" aria-label="x" data-correct="false"></fieldset>`;
  const said: unknown[] = [];
  for (const language of ["de-AT", "zh-TW", "gsw"]) {
    await showLesson(opened, { quizHtml }, { language });
    await frame.getByRole("button").click();
    const words = await frame.locator("h2, button, .verdict").allTextContents();
    said.push([...words, await frame.getByRole("button").getAttribute("lang")]);
  }
  expect(said).toEqual([
    ["Quiz", "Prüfen", "✓ Richtig", "de"],
    ["測驗", "檢查", "✓ 正確", "zh-hant"],
    ["Quiz", "Check", "✓ Right", "en"],
  ]);
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

test("the page never violates its own policy", async () => {
  await showLesson(opened, { url: "https://vimeo.com/76979871", additionalText: "<p style='color: red'>Red" });
  expect(opened.refusals).toEqual([]);
});
