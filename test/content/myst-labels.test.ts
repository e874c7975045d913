// Labels of MyST on all pages of a book.
import { expect, test } from "bun:test";
import { readFolder, writeFolder } from "../support/written-folder.ts";

const TARGETS = `(Deep)=
# Deep *water*

(bare/er)=

$$
x
$$ (eq)

\`\`\`{figure} https://e.example/a.png
:name: fig:tea
A \`cup\`.
\`\`\`

\`\`\`{exercise} Warm
:label: ex
x
\`\`\`

\`\`\`{solution} ex
:label: sol
SECRET
\`\`\`

## Notes
`;

test.each<[text: string, html: string, problem: string | undefined]>([
  [
    "{ref}`deep` {ref}`So <Deep>`",
    `<a href="part/b.md#Deep">Deep water</a> <a href="part/b.md#Deep">So</a>`,
    undefined,
  ],
  ["[](#deep) [so](#deep)", `<a href="part/b.md#Deep">Deep water</a> <a href="part/b.md#Deep">so</a>`, undefined],
  [
    "<project:#deep> [see {name}](#deep)",
    `<a href="part/b.md#Deep">Deep water</a> <a href="part/b.md#Deep">Deep water</a>`,
    undefined,
  ],
  [
    "{numref}`Figure %s <fig:tea>` {numref}`fig:tea`",
    `<a href="part/b.md#fig:tea">Figure</a> <a href="part/b.md#fig:tea">A cup.</a>`,
    undefined,
  ],
  [
    "{eq}`eq` [](fig:tea) [x](deep)",
    `<a href="part/b.md#eq">eq</a> <a href="part/b.md#fig:tea">A cup.</a> <a href="part/b.md#Deep">x</a>`,
    undefined,
  ],
  [
    "{ref}`ex` {prf:ref}`cell`",
    `<a href="part/b.md#ex">Exercise (Warm)</a> <a href="c.ipynb#cell">A cell</a>`,
    undefined,
  ],
  [
    "{ref}`Own`\n\n(own)=\n## Here",
    `<a href="#own">Here</a></p>\n<a id="own"></a>\n<h2 id="here">Here</h2>`,
    undefined,
  ],
  ["[](mailto:a@e.example) [x](LICENSE)", `<a href="mailto:a@e.example"></a> <a href="LICENSE">x</a>`, undefined],
  ["[x](bare/er) [](a:b/c)\n\n(a:b/c)=\n## C", `<a href="part/b.md#bare/er">x</a> <a href="#a:b/c">C</a>`, undefined],
  [
    "{doc}`jax:auto` {doc}`A <jax:auto>` {proof:ref}`ex`",
    `auto A <a href="part/b.md#ex">Exercise (Warm)</a>`,
    undefined,
  ],
  [
    "[x](gone)",
    `<a href="gone" data-unresolved="">x</a>`,
    `link "gone" points to no lesson and no label of this course`,
  ],
  [
    "{ref}`gone` {ref}`deep`",
    `<a href="#gone" data-unresolved="">gone</a> <a href="part/b.md#Deep">Deep water</a>`,
    `link "#gone" points to no label of this course`,
  ],
  ["[x](#notes)", `<a href="#notes" data-unresolved="">x</a>`, `link "#notes" points to no label of this course`],
  ["{ref}`sol`", `<a href="#sol" data-unresolved="">sol</a>`, `link "#sol" points to no label of this course`],
])("%j leads to %s", async (text, html, problem) => {
  const root = writeFolder({
    "_toc.yml": "root: a\nchapters:\n- file: part/b\n- file: c\n",
    "a.md": text,
    "part/b.md": TARGETS,
    "c.ipynb": JSON.stringify({
      nbformat: 4,
      nbformat_minor: 5,
      metadata: {},
      cells: [{ cell_type: "markdown", metadata: {}, source: "(cell)=\n## A cell\n\n{ref}`fig:tea`" }],
    }),
    LICENSE: "x",
  });
  const { lessons, problems } = await readFolder(root, "https://files.example/");
  expect(lessons[0]?.additionalText).toContain(html.replace('"LICENSE"', '"https://files.example/LICENSE"'));
  expect(problems.filter((each) => !each.includes("note:"))).toEqual(
    problem === undefined ? [] : [`a.md:1: warning: ${problem}`],
  );
  expect(lessons[1]?.additionalText).not.toContain("<h1");
  expect(lessons[2]?.additionalText).toContain(`<a href="part/b.md#fig:tea">A cup.</a>`);
});

test("time grows with the number of links to labels, not with its square", async () => {
  const root = writeFolder({
    "_toc.yml": "root: a\nchapters:\n- file: b\n",
    "a.md": "{ref}`l` ".repeat(30_000),
    "b.md": "(l)=\n# T",
  });
  const { lessons } = await readFolder(root);
  expect(lessons[0]?.additionalText.length).toBeGreaterThan(600_000);
});
