// What is reported as a script is what a browser runs: each case runs in a real one, put into a page as sites do it.
import { afterAll, expect, test } from "bun:test";
import { openTestBrowser } from "../support/browser.ts";
import { runCommand } from "../support/command.ts";
import { read, readFolder, writeFolder } from "../support/written-folder.ts";

const browser = await openTestBrowser();
const { page } = await browser.openPage();

afterAll(() => browser.close());

const IMAGE = `<img src=data: onerror='window.run()'>`;

/** True where the browser runs what the HTML says, without anybody touching it. */
async function runs(html: string): Promise<boolean> {
  return page.evaluate(`new Promise((resolve) => {
    window.run = () => resolve(true);
    let failed = 0;
    const end = () => failed === document.images.length && setTimeout(() => resolve(false), 0);
    // It hears of each image before the image does.
    document.addEventListener("error", () => (failed++, end()), true);
    document.body.innerHTML = ${JSON.stringify(html)};
    end();
  })`);
}

/** The image stands for `@`. */
const withImage = (texts: string): string[] => texts.split(" ¦ ").map((text) => text.replace("@", IMAGE));

const EVASIONS = [
  ...withImage("<svg><style>@ ¦ <svg><title>@ ¦ <svg><desc><title></title></desc><title>@ ¦ <svg><![CDATA[]]>@"),
  ...withImage("<![CDATA[>@ ¦ <p><![CDATA[ x > @ ]]> ¦ <svg/><![CDATA[>@ ¦ <!-->@--> ¦ <!--->@--> ¦ <!-- --!>@-->"),
  ...withImage(
    "<noscript><!--</noscript>@ ¦ <noscript><style></noscript>@ ¦ <iframe><!--</iframe>@ ¦ <?x>@?> ¦ </ x>@",
  ),
  ...withImage("<noembed><!--</noembed>@ ¦ <noframes><!--</noframes>@ ¦ <xmp><!--</xmp>@ ¦ <style><!--</style>@"),
  ...withImage("<math><style>@ ¦ <math><annotation-xml><style>@ ¦ <math><mi><mglyph><style>@"),
  ...withImage("<math><mtext><malignmark><style>@ ¦ <math><mtext><mglyph/><style><!--</style>@"),
  ...withImage("<mglyph><style><!--</style>@ ¦ <svg/><style><!--</style>@ ¦ <math/><textarea><!--</textarea>@"),
];

const HARMLESS = [
  ...withImage("<style>@</style> ¦ <svg><foreignObject><style>@</style></foreignObject></svg> ¦ <xmp>@</xmp>"),
  ...withImage("<noscript>@</noscript> ¦ <svg><![CDATA[@]]></svg> ¦ <!-- @ --> ¦ <title>@</title>"),
  ...withImage("<textarea>@</textarea> ¦ <iframe>@</iframe>"),
];

async function reportsOf(files: Record<string, string>): Promise<string[]> {
  const { problems } = await read(files);
  return problems.filter((problem) => problem.endsWith(" runs a script in the reader's page"));
}

test.each(EVASIONS)("scripts are reported: %s", async (html) => {
  expect(await runs(html)).toBe(true);
  expect(await reportsOf({ "01-part/1.html": `<p>x</p>\n${html}` })).not.toEqual([]);
  expect(await reportsOf({ "01-part/1.md": `x\n\n${html}\n` })).not.toEqual([]);
});

test.each([...EVASIONS, ...HARMLESS])("sanitizing disables %s", async (html) => {
  const { lessons } = await readFolder(writeFolder({ "01-part/1.html": html }), undefined, { sanitizes: true });
  for (const { additionalText } of lessons) expect(await runs(additionalText)).toBe(false);
  expect(lessons).toHaveLength(1);
});

test.each(HARMLESS)("%s is not reported, since no browser runs it", async (html) => {
  expect(await runs(html)).toBe(false);
  expect(await reportsOf({ "01-part/1.html": html })).toEqual([]);
});

test("scripts are reported at their lines, once per use, whatever is between", async () => {
  const html = `<p>\u0001é😀</p>\n<svg><style>\n<a href='java&#115;cript:1'>\n${IMAGE}</style></svg>\n<b onclick=x>`;
  const { problems } = await read({ "01-part/1.html": html });
  expect(problems).toEqual([
    "01-part/1.html:3: warning: javascript: in href of <a> runs a script in the reader's page",
    "01-part/1.html:4: warning: onerror of <img> runs a script in the reader's page",
    "01-part/1.html:5: warning: onclick of <b> runs a script in the reader's page",
  ]);
});

test("scripts are reported even if only several pieces together form the HTML", async () => {
  const text = "x\n\na <noscript> b `<!--` </noscript> c <b onclick=x>d</b>\n";
  expect((await read({ "01-part/1.md": text })).problems).toEqual([
    "01-part/1.md:3: warning: onclick of <b> runs a script in the reader's page",
  ]);
});

test("an import reports the same scripts as a check, with lessons unchanged", async () => {
  const files = {
    "01-part/1.md": "a\n\n[b](javascript:1) <b onclick=x>c</b>\n\n```html\n<script>1</script>\n```\n",
    "01-part/2.html": "<p>\n<script>1</script>\n</p>",
    "01-part/3.md": "---\nurl: javascript:1\nquizHtml: <i onclick=x>d</i>\n---\ne",
  };
  const warningsIn = (output: string): string[] => output.split("\n").filter((line) => line.includes(": warning: "));
  const root = writeFolder(files);
  const checked = await runCommand(["check", root]);
  const { stderr } = await runCommand(["import", root, "--project", "p", "--database", `sqlite:${root}/x.db`]);
  expect(warningsIn(stderr)).toHaveLength(5);
  expect(warningsIn(stderr)).toEqual(warningsIn(checked.stdout));
  expect((await read(files)).lessons[1]?.additionalText).toBe(files["01-part/2.html"]);
});
