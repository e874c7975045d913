// Answers in notebooks and in texts that Jupytext keeps: what never reaches readers.
import { expect, test } from "bun:test";
import { runCommand } from "../support/command.ts";
import { code, display, markdown, notebook, PNG, readNotebook, stream, type Json } from "../support/notebooks.ts";
import { readFolder, writeFolder } from "../support/written-folder.ts";

const secret = notebook([
  markdown("# Exercise"),
  code("def f():\n    ### BEGIN SOLUTION\n    return 'secret-1'\n    ### END SOLUTION\n", [stream("secret-2")]),
  code("assert f()\n### BEGIN HIDDEN TESTS\nassert 'secret-3'\n### END HIDDEN TESTS\n", [], {
    nbgrader: { grade: true, solution: false },
  }),
  code("print('secret-4')", [stream("secret-5")], { nbgrader: { grade: false, solution: true } }),
  markdown("secret-6 ![](attachment:secret.png)", {
    metadata: { nbgrader: { grade: true, solution: true } },
    attachments: { "secret.png": { "image/png": PNG } },
  }),
  code("### BEGIN SOLUTION\nsecret-7", [display({ "image/png": PNG })]),
  markdown("# BEGIN TESTS", { cell_type: "raw" }),
  code("secret-8", [stream("secret-9")]),
  markdown("# END TESTS", { cell_type: "raw" }),
  markdown("The end."),
]);

test("answers in notebooks are withheld with their outputs and attachments unless --answers all publishes them", async () => {
  const root = writeFolder({
    "01-start.ipynb": secret,
    "02-end.md": "[all](01-start.ipynb) [program](01-start.py) [alone](alone.py) [cell](cell.R) [data](other.py)",
    "01-start.py": "secret",
    "alone.py": "x\n### BEGIN SOLUTION\nsecret\n",
    "cell.R": '# %% tags=["solution"]\nsecret\n',
    "other.py": "solution = 1",
  });
  const to = ["--project", "p", "--database", `sqlite:${root}/x.db`];
  const run = (...args: string[]) => runCommand([...args, ...to], { cwd: root });
  const imported = await run("import", ".", "--public-url", "https://c.example");
  expect(imported.stderr).toContain("withheld in 6 questions, --answers all publishes them");
  const shown = (await run("export", "-")).stdout;
  expect(shown).not.toContain("secret");
  for (const text of ["def f():", "assert f()", "The end."]) expect(shown).toContain(text);
  // Neither an image of an answer nor the notebook itself is a file for readers, nor what Jupytext keeps beside it.
  expect(shown.match(/\/assets\/[^"\\]*/g)).toEqual([expect.stringMatching(/other\.py$/)]);
  expect(imported.stderr).toContain("01-start.py is a notebook saved as a program and can contain answers");
  await run("import", ".", "--public-url", "https://c.example", "--answers", "all");
  const all = (await run("export", "-")).stdout;
  expect(new Set(all.match(/secret-\d/g)).size).toBe(9);
  expect(all).toMatch(/https:\/\/c\.example\/[^"\\]*assets\/[^"\\]*\.png/);
});

const task = { metadata: { nbgrader: { task: true } } };

test.each<[what: string, cell: Json, rest: string]>([
  ["between marks of any comment", code("a()\n# BEGIN SOLUTION\nsecret\n# END SOLUTION\nb()"), "a()\nb()"],
  ["behind code", code("a()\nsecret ### BEGIN SOLUTION\nsecret\n% END SOLUTION\nb()"), "a()\nb()"],
  ["of Otter-Grader", code("a()\nx = 'secret' # SOLUTION\nsecret  #SOLUTION NO PROMPT\nb()"), "a()\nb()"],
  ["of a task", markdown("Draw.\n=== BEGIN MARK SCHEME ===\nsecret\n=== END MARK SCHEME ===", task), "<p>Draw.</p>"],
])("an answer %s is withheld", async (_, cell, rest) => {
  const { lesson } = await readNotebook(notebook([markdown("x"), cell]));
  expect(lesson?.additionalText).not.toContain("secret");
  expect(lesson?.additionalText).toContain(rest);
  expect((await readNotebook(notebook([cell]), { answers: "all" })).lesson?.additionalText).toContain("secret");
});

const FRONT = "---\njupytext:\n  formats: md\n---\n";

test.each<[answer: string, rest?: string]>([
  ['```python tags=["solution"]\nSECRET\n```'],
  ['```python nbgrader={"grade": false, "solution": true}\nSECRET\n```'],
  ["```{code-cell}\n:tags: [solution]\nSECRET\n```"],
  ["```{code-cell}\n---\ntags:\n  - solution\n---\nSECRET\n```"],
  ['<!-- #region tags=["solution"] -->\nSECRET\n<!-- #endregion -->'],
  ['+++ {"tags": ["solution"]}\n\nSECRET\n\n+++'],
  ["=== BEGIN MARK SCHEME ===\nSECRET\n=== END MARK SCHEME ==="],
  ['```{r tags=c("solution")}\nSECRET\n```'],
])("an answer in a text of Jupytext is withheld: %j", async (answer, rest = "<p>x</p>") => {
  const isOpen = answer.startsWith("[y]");
  const text = `${answer.includes("{r") ? "" : FRONT}x\n\n${answer}${isOpen ? "" : "\n\n[y](gone.md)"}`;
  const file = answer.includes("{r") ? "a.Rmd" : "a.md";
  const root = writeFolder({ [file]: text, "b.md": "x" });
  const { lessons, problems } = await readFolder(root);
  expect(JSON.stringify(lessons)).not.toContain("SECRET");
  expect(lessons[0]?.additionalText).toContain(rest);
  const line = text.split("\n").findIndex((each) => each.includes("gone.md")) + 1;
  expect(problems.filter((each) => each.includes("missing file"))).toEqual([
    `${file}:${line}: warning: link "gone.md" points to a missing file: gone.md`,
  ]);
  expect(JSON.stringify((await readFolder(root, undefined, { answers: "all" })).lessons)).toContain("SECRET");
});
