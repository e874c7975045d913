// Elements of HTML as MDX writes them, and what stands in the middle of MDX that readers are not to see.
import { describe, expect, test } from "bun:test";
import { readLesson, readOnly, render, testLessons } from "../support/written-folder.ts";

const readMdx = (text: string) => readLesson("1.mdx", text);

describe("an HTML element in MDX", () => {
  const elements: Record<string, string> = {
    '<iframe\n  src="https://x.example/a/"\n/>\n\nAfter.\n':
      '<iframe\n  src="https://x.example/a/"\n></iframe>\n<p>After.</p>\n',
    '<a id="x"/>Text <span/> <br/> <img src="https://x.example/a.png" className="a"/>\n':
      '<p><a id="x"></a>Text <span></span> <br/> <img src="https://x.example/a.png" class="a"/></p>\n',
    '<div className="box" id={"b"} tabIndex={0}>\n\n*a*\n\n</div>\n':
      '<div class="box" id="b" tabIndex="0">\n<p><em>a</em></p>\n</div>\n',
    "<p style={{color: 'red', fontSize: 12, lineHeight: 1.5, WebkitMaskSize: '1px', '--a': \"b\"}}>a</p>\n":
      '<p style="color: red; font-size: 12px; line-height: 1.5; -webkit-mask-size: 1px; --a: b">a</p>\n',
    "<div\n  style={{\n    color: 'red',\n    margin: 0,\n  }}\n>\n\na\n\n</div>\n":
      '<div\n  style="color: red; margin: 0"\n>\n<p>a</p>\n</div>\n',
    "<video autoPlay loop={true} muted={false} poster={null} src={`https://x.example/v.mp4`} />\n":
      '<video autoPlay loop   src="https://x.example/v.mp4" ></video>\n',
    "<label htmlFor='a'>b</label>\n": "<p><label for='a'>b</label></p>\n",
    "- a\n\n  <figure className={'c'} style={{\n    color: 'red',\n  }}>\n  <figcaption>x</figcaption>\n  </figure>\n":
      '<ul>\n<li>\n<p>a</p>\n<figure class="c" style="color: red">\n<figcaption>x</figcaption>\n</figure>\n</li>\n</ul>\n',
    "Tea\\\n```\n<Card>\n\n<p className='a'>\n```\n":
      "<p>Tea\\</p>\n<pre><code>&lt;Card&gt;\n\n&lt;p className='a'&gt;\n</code></pre>\n",
    "a{\" \"}\n<b>b</b>{' '}c\n": "<p>a\n<b>b</b> c</p>\n",
  };
  test.each(Object.entries(elements))("becomes readable for browsers: %j", async (text, html) => {
    expect(await render("1.mdx", text)).toBe(html);
  });

  test("stays as written in code, in plain HTML and in Markdown", async () => {
    const text =
      '`<a/> <i className="x">`\n\n```jsx\n<div style={{a: 1}} />\n{" "}\n```\n\n<b title="className={1} />">b</b> a <b and c / > d\n';
    const html = await render("1.mdx", text);
    expect(html).toContain("<code>&lt;a/&gt; &lt;i className=&quot;x&quot;&gt;</code>");
    expect(html).toContain('<code class="language-jsx">&lt;div style={{a: 1}} /&gt;\n{&quot; &quot;}\n</code>');
    expect(html).toContain('<b title="className={1} />">b</b>');
    expect(await render("1.md", '<a id="x"/><i className="x">b</i>\n')).toBe(
      '<p><a id="x"/><i className="x">b</i></p>\n',
    );
  });

  testLessons(readMdx, {
    "is no tag if invalid characters follow": [
      'For i <n and it\'s a <b\n\n<Tip>\n\n"x"\n\n</Tip>\n\nc > d <br/>\n',
      '<p>For i &lt;n and it\'s a &lt;b</p>\n<aside class="callout" data-callout="tip">\n<p class="callout-title">Tip</p>\n<p>&quot;x&quot;</p>\n</aside>\n<p>c &gt; d <br/></p>\n',
    ],
    "loses attributes over several lines, too, and keeps the others": [
      "<button\n  onClick={() => {\n    alert(1);\n  }}\n  type={'button'}\n>b</button>\n\n- <div {...{\n    a: b,\n  }} id=\"c\">\n  d\n  </div>\n\n![e](e.png)\n",
      '<p><button\n  \n  type="button"\n>b</button></p>\n<ul>\n<li>\n<div  id="c">\nd\n</div>\n</li>\n</ul>\n<p><img src="e.png" data-unresolved="" alt="e" loading="lazy"></p>\n',
      "01-part/1.mdx:2: warning: attribute onClick of <button> is dropped",
      "01-part/1.mdx:8: warning: attribute {...{ a: b, }} of <div> is dropped",
      '01-part/1.mdx:14: warning: image "e.png" points to a missing file: 01-part/e.png',
    ],
    "loses attributes, each at its line": [
      'a <b title="x\nx"\n{c}{c}\n{d}>e</b>\n',
      '<p>a <b title="x\nx"\n\n>e</b></p>\n',
      "01-part/1.mdx:3: warning: attribute {c} of <b> is dropped (2 times in this file)",
      "01-part/1.mdx:4: warning: attribute {d} of <b> is dropped",
    ],
    "loses attributes that need a program, with a warning": [
      'a\n\n<button onClick={() => alert("a > b")} {...rest} type="button">b</button> <i title={t}>c</i>\n',
      '<p>a</p>\n<p><button   type="button">b</button> <i >c</i></p>\n',
      "01-part/1.mdx:3: warning: attribute onClick of <button> is dropped",
      "01-part/1.mdx:3: warning: attribute {...rest} of <button> is dropped",
      "01-part/1.mdx:3: warning: attribute title of <i> is dropped",
    ],
  });
});

testLessons(readMdx, {
  "an export ends with its template": [
    "export const code = `\n<Tip>\n\n`;\n\na\n\nexport const more = f(`it's\n{`) + `\n`;\n\nb\n",
    "<p>a</p>\n<p>b</p>\n",
    "01-part/1.mdx:1: warning: import or export line is dropped (2 times in this file)",
  ],
  "imports and exports in MDX are dropped, but not prose and code that begin like them": [
    `A

import One, { Two } from "./one";
import './two.css'

export const list = [
  { a: 1 },
];

export function F() { return <b>1</b> }

import torch further down is prose.

export const is a word

B
import c from "d"

\`\`\`js

import e from "f";
\`\`\`
`,
    '<p>A</p>\n<p>import torch further down is prose.</p>\n<p>export const is a word</p>\n<p>B\nimport c from &quot;d&quot;</p>\n<pre><code class="language-js">\nimport e from &quot;f&quot;;\n</code></pre>\n',
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

testLessons(readMdx, {
  "tabs are labeled alternatives, and callouts have the named type": [
    `<Tabs groupId="os">
  <TabItem value="mac" label="macOS" default>

  *Brew*

  </TabItem>
  <TabItem value="win">Steep</TabItem>
</Tabs>

<Admonition type="danger" title="Hot">

Water

</Admonition>

<Callout>Note this.</Callout>
`,
    `<div class="options" data-options="os">
<div class="option" data-option="mac">
<p class="option-title">macOS</p>
<p><em>Brew</em></p>
</div>
<div class="option" data-option="win">
<p class="option-title">win</p>
<p>Steep</p>
</div>
</div>
<aside class="callout" data-callout="caution">
<p class="callout-title">Hot</p>
<p>Water</p>
</aside>
<aside class="callout" data-callout="note">
<p class="callout-title">Note</p>
<p>Note this.</p>
</aside>
`,
  ],
  "collapsible components become details with their title": [
    '<Accordion title="Why & how">\n\n*Because*\n\n</Accordion>\n\n<Details>Inner</Details>\n',
    "<details>\n<summary>Why &amp; how</summary>\n<p><em>Because</em></p>\n</details>\n<details>\n<p>Inner</p>\n</details>\n",
  ],
});
