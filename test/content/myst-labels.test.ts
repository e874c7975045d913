// Labels of MyST on all pages of a book.
import { expect, test } from "bun:test";
import { markdown, notebook } from "../support/notebooks.ts";
import { readFolder, writeFolder } from "../support/written-folder.ts";

const TARGETS =
  "(Deep)=\n# Deep *water*\n\n(bare/er)=\n\n$$\nx\n$$ (eq)\n\n```{figure} https://e.example/a.png\n:name: fig:tea\nA `cup`.\n```\n\n" +
  "```{exercise} Warm\n:label: ex\nx\n```\n\n```{solution} ex\n:label: sol\nSECRET\n```\n\n## Notes\n";

const FILES = {
  "_toc.yml": "root: a\nchapters:\n- file: part/b\n- file: c\n",
  "part/b.md": TARGETS,
  "c.ipynb": notebook([markdown("(cell)=\n## A cell\n\n{ref}`fig:tea`")]),
  LICENSE: "x",
};
const to = (label: string, text: string): string => `<a href="part/b.md#${label}">${text}</a>`;
const lost = (url: string, text: string): string => `<a href="${url}" data-unresolved="">${text}</a>`;

const DEEP = to("Deep", "Deep water");
const CUP = to("fig:tea", "A cup.");
const WARM = to("ex", "Exercise (Warm)");
const toldOf = (url: string, nothing: string): string =>
  `a.md:1: warning: link "${url}" points to ${nothing} of this course`;

test.each<[text: string, html: string, ...problems: string[]]>([
  ["<project:#deep> [see {name}](#deep)", `${DEEP} ${DEEP}`],
  ["{numref}`Figure %s <fig:tea>` {numref}`fig:tea`", `${to("fig:tea", "Figure")} ${CUP}`],
  ["{eq}`eq` [](fig:tea)", `${to("eq", "eq")} ${CUP}`],
  ["{doc}`jax:auto` {doc}`A <jax:auto>` {proof:ref}`ex`", `auto A ${WARM}`],
  ["[x](gone)", lost("gone", "x"), toldOf("gone", "no lesson and no label")],
  ["{ref}`gone` {ref}`deep`", `${lost("#gone", "gone")} ${DEEP}`, toldOf("#gone", "no label")],
])("%j leads to %s", async (text, html, ...told) => {
  const { lessons, problems } = await readFolder(writeFolder({ ...FILES, "a.md": text }), "https://files.example/");
  expect(lessons[0]?.additionalText).toContain(html);
  expect(problems.filter((each) => !each.includes("note:"))).toEqual(told);
  expect(lessons[1]?.additionalText).not.toContain("<h1");
  expect(lessons[2]?.additionalText).toContain(CUP);
});
