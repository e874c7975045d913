// Elements of HTML as MDX writes them, and what stands in the middle of MDX that readers are not to see.
import { expect, test } from "bun:test";
import { callout } from "../support/mkdocs.ts";
import { readLesson, readOnly, render, testLessons, testTexts } from "../support/written-folder.ts";

const readMdx = (text: string) => readLesson("1.mdx", text);
const toMdx = (text: string) => render("1.mdx", text);

testTexts("an HTML element becomes readable for browsers", toMdx, {
  '<iframe\n  src="https://x.example/a/"\n/>\n\nAfter.\n':
    '<iframe\n  src="https://x.example/a/"\n></iframe>\n<p>After.</p>\n',
  '<div className="box" id={"b"} tabIndex={0}>\n\n*a*\n\n</div>\n':
    '<div class="box" id="b" tabIndex="0">\n<p><em>a</em></p>\n</div>\n',
  "<p style={{color: 'red', fontSize: 12, lineHeight: 1.5, WebkitMaskSize: '1px', '--a': \"b\"}}>a</p>\n":
    '<p style="color: red; font-size: 12px; line-height: 1.5; -webkit-mask-size: 1px; --a: b">a</p>\n',
  "<div\n  style={{\n    color: 'red',\n    margin: 0,\n  }}\n>\n\na\n\n</div>\n":
    '<div\n  style="color: red; margin: 0"\n>\n<p>a</p>\n</div>\n',
  "<video autoPlay loop={true} muted={false} poster={null} src={`https://x.example/v.mp4`} />\n":
    '<video autoPlay loop   src="https://x.example/v.mp4" ></video>\n',
  "a{\" \"}\n<b>b</b>{' '}c\n": "<p>a\n<b>b</b> c</p>\n",
});

testLessons(readMdx, {
  "what invalid characters follow is no tag": [
    'For i <n and it\'s a <b\n\n<Tip>\n\n"x"\n\n</Tip>\n\nc > d <br/>\n',
    `<p>For i &lt;n and it's a &lt;b</p>\n${callout("tip", "Tip", "<p>&quot;x&quot;</p>\n")}<p>c &gt; d <br/></p>\n`,
  ],
  "attributes over several lines are dropped, too, and others stay": [
    "<button\n  onClick={() => {\n    alert(1);\n  }}\n  type={'button'}\n>b</button>\n\n- <div {...{\n    a: b,\n  }} id=\"c\">\n  d\n  </div>\n\n![e](e.png)\n",
    '<p><button\n  \n  type="button"\n>b</button></p>\n<ul>\n<li>\n<div  id="c">\nd\n</div>\n</li>\n</ul>\n<p><img src="e.png" data-unresolved="" alt="e" loading="lazy"></p>\n',
    "01-part/1.mdx:2: warning: attribute onClick of <button> is dropped",
    "01-part/1.mdx:8: warning: attribute {...{ a: b, }} of <div> is dropped",
    '01-part/1.mdx:14: warning: image "e.png" points to a missing file: 01-part/e.png',
  ],
  "dropped attributes are reported at their lines": [
    'a <b title="x\nx"\n{c}{c}\n{d}>e</b>\n',
    '<p>a <b title="x\nx"\n\n>e</b></p>\n',
    "01-part/1.mdx:3: warning: attribute {c} of <b> is dropped (2 times in this file)",
    "01-part/1.mdx:4: warning: attribute {d} of <b> is dropped",
  ],
  "an export ends with its template": [
    "export const code = `\n<Tip>\n\n`;\n\na\n\nexport const more = f(`it's\n{`) + `\n`;\n\nb\n",
    "<p>a</p>\n<p>b</p>\n",
    "01-part/1.mdx:1: warning: import or export line is dropped (2 times in this file)",
  ],
  "imports and exports are dropped, but not prose and code that begin like them": [
    "A\n\nimport One, { Two } from \"./one\";\nimport './two.css'\n\nexport const list = [\n  { a: 1 },\n];\n\nexport function F() { return <b>1</b> }\n\n" +
      'import torch further down is prose.\n\nexport const is a word\n\nB\nimport c from "d"\n\n```js\n\nimport e from "f";\n```\n',
    "<p>A</p>\n<p>import torch further down is prose.</p>\n<p>export const is a word</p>\n<p>B\nimport c from &quot;d&quot;</p>\n" +
      '<pre><code class="language-js">\nimport e from &quot;f&quot;;\n</code></pre>\n',
    "01-part/1.mdx:3: warning: import or export line is dropped (4 times in this file)",
  ],
});

test("code references become code in courses with a _toctree.yml, and stay text elsewhere", async () => {
  const text =
    "[`Pot`], [`~tea.Pot.boil`] と[`tea.Pot()`]を [`leaf`](https://x.example) [`r`] [a [`b`]](https://x.example) [`x y`] `[`\n\n[`r`]: https://x.example/r\n";
  const link = (html: string, url = "https://x.example"): string => `<a href="${url}">${html}</a>`;
  const html = `<p><code>Pot</code>, <code>boil</code> と<code>tea.Pot()</code>を ${link("<code>leaf</code>")} ${link("<code>r</code>", "https://x.example/r")} ${link("a <code>b</code>")} [<code>x y</code>] <code>[</code></p>\n`;
  for (const ending of ["md", "mdx"]) {
    const toctree = "- title: A\n  sections:\n  - {local: a, title: L}";
    const { chapters } = await readOnly({ "en/_toctree.yml": toctree, [`en/a.${ending}`]: text });
    expect(chapters[0]?.lessons[0]?.additionalText).toBe(html);
    expect(await render(`1.${ending}`, text)).toStartWith("<p>[<code>Pot</code>], [<code>~tea.Pot.boil</code>]");
  }
});

testTexts("components become HTML", toMdx, {
  '<Tabs groupId="os">\n  <TabItem value="mac" label="macOS" default>\n\n  *Brew*\n\n  </TabItem>\n  <TabItem value="win">Steep</TabItem>\n</Tabs>\n':
    '<div class="options" data-options="os">\n<div class="option" data-option="mac">\n<p class="option-title">macOS</p>\n<p><em>Brew</em></p>\n</div>\n' +
    '<div class="option" data-option="win">\n<p class="option-title">win</p>\n<p>Steep</p>\n</div>\n</div>\n',
  '<Accordion title="Why & how">\n\n*Because*\n\n</Accordion>\n\n<Details>Inner</Details>\n':
    "<details>\n<summary>Why &amp; how</summary>\n<p><em>Because</em></p>\n</details>\n<details>\n<p>Inner</p>\n</details>\n",
});
