import { expect, test } from "bun:test";
import { importCourses } from "../support/catalog.ts";
import { startSearchServer, type SearchServer } from "../support/search.ts";
import { createKey } from "../support/server.ts";
import { useTestStore } from "../support/store.ts";

type Lesson = [id: string, name: string, additionalText?: string, quizHtml?: string];

/** Lists show the newest course first. */
function course(id: string, createdAt: string, more: object, lessons: Lesson[]) {
  const authored = lessons.map(([lesson, name, additionalText, quizHtml]) => {
    return { id: lesson, name, additionalText, quizHtml };
  });
  return { _id: id, name: id, createdAt, ...more, chapters: [{ name: "One", lessons: authored }] };
}

const COURSES = [
  course(
    "nlp",
    "2026-01-03",
    { name: "Natural language processing", description: "Transformers, from the tokenizer to fine-tuning." },
    [
      ["models", "Models", "<p>A model reads tokens. Fine-tuning adapts a <b>pre</b>trained model.</p>"],
      [
        "pipeline",
        "Pipelines",
        '<h2 id="tok">The tokenizer</h2><p>It cuts text.</p><h3>No id</h3><p>Models follow</p>',
      ],
      ["tokenizers", "Tokenizers &amp; <models>", "<p>Byte pairs.</p><p>End of one</p><p>begin of two</p>"],
      [
        "hidden",
        "What is not shown",
        '<p title="attributeword">seen<!-- commentword --></p><script>scriptword</script><style>styleword</style>' +
          "<template><p>templateword</p></template><div hidden><p>hiddenword</p></div><p hidden>paragraphword<p>afterword</p>" +
          '<details class="answer"><summary>More</summary>detailsword</details>one<br>two<table><tr><td>cell<td>other</table>',
      ],
    ],
  ),
  course("ranks", "2026-01-01", {}, [
    ["rest", "Text", "<p>quartz and granite</p>"],
    ["both", "Quartz", '<h2 id="g">About granite</h2><p>Rocks.</p>'],
    ["headings", "Two", "<h2>Granite</h2><h2>Quartz</h2>"],
    ["name", "Granite, quartz"],
    ["half", "Quartz alone", "<p>granite</p>"],
    ["quiz", "Asked", "<p>answered</p>", "<p>quizword</p>"],
    ["runs", "走", "<p>東京 大学<br>病院</p><p>図<b>書</b>館でみる</p>"],
    [
      "long",
      "Long",
      `<p>${"filler ".repeat(80)}</p><p>𠮷 ${"𠮷".repeat(300)} needle ${"é".normalize("NFD").repeat(300)} &lt;i&gt;</p>`,
    ],
  ]),
  course("world", "2026-01-02", { name: "Ngôn ngữ của thế giới" }, [
    ["vi", "Cài đặt môi trường", "<p>Học máy là một nhánh của trí tuệ nhân tạo.</p>"],
    ["hi", "मशीन लर्निंग", "<p>हिन्दी में मशीन लर्निंग का परिचय। क्\u200dष</p>"],
    ["ja", "機械学習入門", "<p>Pythonで機械学習を学ぶ。カタカナとひらがな。ｶﾞｲﾄﾞ</p>"],
    ["zh", "机器学习", "<p>自然语言处理是人工智能的一个方向。</p>"],
    ["th", "ภาษาไทย", "<p>การเรียนรู้ของเครื่องเป็นเรื่องสนุก</p>"],
    ["ko", "기계 학습", "<p>모델을 학습시킨다. 자연어 처리</p>".normalize("NFD")],
    ["de", "Größe und Straße", "<p>Über die Länge</p>"],
    ["el", "ΟΔΟΣ", "<p>Ο δρόμος είναι μακρύς</p>"],
  ]),
];

let server: SearchServer;
let key: string;
const database = useTestStore(undefined, async () => {
  await importCourses(database.store, "acme", COURSES);
  key = await createKey(database.store, "acme");
  server = await startSearchServer(database);
  return () => server.stop();
});

test.each<[query: string, found: string[]]>([
  // All words, anywhere; the last one as a prefix.
  ["model", ["nlp/models", "nlp/tokenizers", "nlp/pipeline"]],
  ["mod byte", []],
  ["byte mod", ["nlp/tokenizers"]],
  // In the name, then in name and headings, then the rest; a course before its lessons.
  ["tokenizer", ["nlp/tokenizers", "nlp/pipeline", "nlp/"]],
  ["natural language", ["nlp/"]],
  ["PRETRAINED", ["nlp/models"]],
  ["granite quartz", ["ranks/name", "ranks/both", "ranks/headings", "ranks/rest", "ranks/half"]],
  // As many words and characters as there may be.
  ["a model reads tokens fine tuning adapts a", ["nlp/models"]],
  [`model -${"x".repeat(193)}`, ["nlp/models"]],
  // Nothing that is only nearly the word, nor a word that ends with it.
  ["okenizer", []],
  // Phrases: within a block, prefix only where the quote is open.
  ['"fine tuning"', ["nlp/", "nlp/models"]],
  ["“fine tuning”", ["nlp/", "nlp/models"]],
  ['"tuning fine"', []],
  ['"one begin"', []],
  ['"begin of t', ["nlp/tokenizers"]],
  ['"a model" adapts', ["nlp/models"]],
  ["model -tokenizer", ["nlp/models"]],
  // What readers see.
  ["seen", ["nlp/hidden"]],
  ["quizword", []],
  ["afterword", ["nlp/hidden"]],
  ["onetwo", []],
  ['"one two"', []],
  ["cellother", []],
  ...["attributeword", "commentword", "scriptword", "styleword", "templateword", "hiddenword", "paragraphword"].map(
    (word): [string, string[]] => [word, []],
  ),
  // Scripts.
  ["cai dat", ["world/vi"]],
  ["tri tue", ["world/vi"]],
  ["मशीन लर्निं", ["world/hi"]],
  ["मशन", []],
  ["門", ["world/ja"]],
  ["習機", []],
  ["館でみ", ["ranks/runs"]],
  ["図書館", ["ranks/runs"]],
  ["京大", []],
  ["東京 病院", ["ranks/runs"]],
  ["ガイド", ["world/ja"]],
  ["机器学习 人工智能", ["world/zh"]],
  ["เครื่อง", ["world/th"]],
  ["학습", ["world/ko"]],
  ["strasse", ["world/de"]],
  ["δρομος", ["world/el"]],
  ["ngon ngu", ["world/"]],
])("%s finds the expected lessons", async (query, found) => {
  expect(await server.find(query, key)).toEqual(found);
});

test.each<[query: string, reason: RegExp]>([
  ["", /q is missing/],
  ["q=a&q=b", /must not be repeated/],
  ["q=%21%21", /a letter or a digit/],
  ["q=a", /a single letter/],
  ["q=-model", /only excludes words/],
  ["q=a+b+c+d+e+f+g+h+i", /9 words/],
  [`q=${"a".repeat(201)}`, /200 characters/],
  ["q=model&limit=0", /limit/],
])("%s is a 400 with the reason", async (query, reason) => {
  const { status, text } = await server.ask(query, { key });
  expect([status, text]).toEqual([400, expect.stringMatching(reason)]);
});

test.each<[query: string, result: object]>([
  ["tokenizer", { lessonId: "tokenizers", heading: "", excerpt: "Byte pairs. End of one begin of two" }],
  ["cuts", { courseName: "Natural language processing", lessonName: "Pipelines", heading: "The tokenizer" }],
  [
    "cuts",
    { lessonId: "pipeline", headingId: "tok", excerpt: "The tokenizer It <mark>cuts</mark> text. No id Models follow" },
  ],
  ["about", { lessonId: "both", headingId: "g", excerpt: expect.stringMatching(/^<mark>About<\/mark> granite/) }],
  ["械学", { lessonId: "ja", excerpt: expect.stringContaining("Pythonで機<mark>械学</mark>習を") }],
  ["processing", { courseId: "nlp", lessonId: "", headingId: "", excerpt: expect.stringMatching(/^Transformers, /) }],
  ["fine-tuning transformers", { excerpt: expect.stringContaining("<mark>Transformers</mark>") }],
])("%s shows the position", async (query, result) => {
  const { results } = await server.read(`q=${encodeURIComponent(query)}`, key);
  expect(results[0]).toMatchObject(result);
});

test("an excerpt has about 200 characters around the first hit, and cuts no character", async () => {
  const { results } = await server.read("q=needle", key);
  const excerpt = results[0]?.excerpt ?? "";
  expect(excerpt).toMatch(/^… \S.* <mark>needle<\/mark> .*\S …$/);
  const { length } = excerpt.replace(/<\/?mark>/g, "");
  expect([length > 150, length < 250, excerpt.isWellFormed()]).toEqual([true, true, true]);
});
