// Labels of MyST on all pages of a book.
import { expect, test } from "bun:test";
import { markdown, notebook } from "../support/notebooks.ts";
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

const FILES = {
  "_toc.yml": "root: a\nchapters:\n- file: part/b\n- file: c\n",
  "part/b.md": TARGETS,
  "c.ipynb": notebook([markdown("(cell)=\n## A cell\n\n{ref}`fig:tea`")]),
  LICENSE: "x",
};
const to = (label: string, text: string): string => `<a href="part/b.md#${label}">${text}</a>`;
const lost = (url: string, text: string): string => `<a href="${url}" data-unresolved="">${text}</a>`;

test.each<[text: string, html: string, problem?: string]>([
  ["{ref}`deep` {ref}`So <Deep>`", `${to("Deep", "Deep water")} ${to("Deep", "So")}`],
  ["[](#deep) [so](#deep) [x](deep)", `${to("Deep", "Deep water")} ${to("Deep", "so")} ${to("Deep", "x")}`],
  ["<project:#deep> [see {name}](#deep)", `${to("Deep", "Deep water")} ${to("Deep", "Deep water")}`],
  ["{numref}`Figure %s <fig:tea>` {numref}`fig:tea`", `${to("fig:tea", "Figure")} ${to("fig:tea", "A cup.")}`],
  ["{eq}`eq` [](fig:tea)", `${to("eq", "eq")} ${to("fig:tea", "A cup.")}`],
  ["{ref}`ex` {prf:ref}`cell`", `${to("ex", "Exercise (Warm)")} <a href="c.ipynb#cell">A cell</a>`],
  ["{ref}`Own`\n\n(own)=\n## Here", '<a href="#own">Here</a></p>\n<a id="own"></a>\n<h2 id="here">Here</h2>'],
  [
    "[](mailto:a@e.example) [x](LICENSE)",
    '<a href="mailto:a@e.example"></a> <a href="https://files.example/LICENSE">x</a>',
  ],
  ["[x](bare/er) [](a:b/c)\n\n(a:b/c)=\n## C", `${to("bare/er", "x")} <a href="#a:b/c">C</a>`],
  ["{doc}`jax:auto` {doc}`A <jax:auto>` {proof:ref}`ex`", `auto A ${to("ex", "Exercise (Warm)")}`],
  ["[x](gone)", lost("gone", "x"), 'link "gone" points to no lesson and no label of this course'],
  [
    "{ref}`gone` {ref}`deep`",
    `${lost("#gone", "gone")} ${to("Deep", "Deep water")}`,
    'link "#gone" points to no label of this course',
  ],
  ["[x](#notes)", lost("#notes", "x"), 'link "#notes" points to no label of this course'],
  ["{ref}`sol`", lost("#sol", "sol"), 'link "#sol" points to no label of this course'],
])("%j leads to %s", async (text, html, ...[problem]) => {
  const { lessons, problems } = await readFolder(writeFolder({ ...FILES, "a.md": text }), "https://files.example/");
  expect(lessons[0]?.additionalText).toContain(html);
  const told = problem === undefined ? [] : [`a.md:1: warning: ${problem}`];
  expect(problems.filter((each) => !each.includes("note:"))).toEqual(told);
  expect(lessons[1]?.additionalText).not.toContain("<h1");
  expect(lessons[2]?.additionalText).toContain(to("fig:tea", "A cup."));
});

test("time grows with the number of links to labels, not with its square", async () => {
  const { lessons } = await readFolder(
    writeFolder({
      "_toc.yml": FILES["_toc.yml"],
      "a.md": "{ref}`l` ".repeat(30_000),
      "part/b.md": "(l)=\n# T",
      "c.md": "x",
    }),
  );
  expect(lessons[0]?.additionalText.length).toBeGreaterThan(600_000);
});
