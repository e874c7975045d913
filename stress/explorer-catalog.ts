// The catalog for the explorer's views, with a little of everything.
import type { TestPage } from "../test/support/browser.ts";
import type { AuthoredCourse } from "../test/support/catalog.ts";

const PICTURES = "https://pictures.example";

const TEXT = `<p>Green tea wants <em>less heat</em> than black: <code>75 °C</code>, see <a href="#time">below</a> and
<a data-course-id="tea" data-lesson-id="black" href="#x">Black</a>, or <a href="https://tea.example">a site</a>.</p>
<aside class="callout" data-callout="warning"><p class="callout-title">Warning</p><p>The pot is hot.</p></aside>
<h2 id="time">Time</h2><p>It takes <span class="math inline">t = \\frac{m c \\Delta T}{P}</span>:</p>
<div class="math display">t = \\frac{0.5 \\cdot 4190 \\cdot 80}{2000} \\approx 84\\,\\mathrm{s}</div>
<p><span class="math inline">\\frac{1</span></p>
<pre><code class="language-rust">// How long does it take, in seconds, to bring a litre of water from this temperature to that one?
fn seconds(mass: f64, from: f64, to: f64) -> f64 { mass * 4190.0 * (to - from) / 2000.0 }</code></pre>
<pre><code class="language-output">84.0</code></pre>
<table><thead><tr><th>Tea</th><th>Heat</th><th>Time</th></tr></thead><tbody><tr><td>Green</td><td>75 °C</td><td>2 min</td></tr>
<tr><td>Black</td><td>95 °C</td><td>4 min</td></tr></tbody></table>
<div class="challenge"><h3>Try it</h3><p>Brew two cups.</p></div>
<details class="solution"><summary>Solution</summary><p>Take less leaf.</p></details>
<ul class="tasks"><li class="task"><label><input type="checkbox" disabled checked> warm the pot</label></li></ul>
<p><img src="img/leaf.png" alt="A leaf"></p><figure><img src="${PICTURES}/curve.svg" alt="A curve"><figcaption>How it cools
</figcaption></figure><p><img src="${PICTURES}/none.png" alt="The garden"></p><iframe src="https://pages.example/tea" title="The tea garden"></iframe>
<h3>Which leaf?</h3><div data-question="1"></div>`;
const QUIZ = `<form class="quiz" method="dialog"><fieldset data-question="1"><legend>Which leaf?</legend>
<div class="choice"><label><input type="radio" name="question-1" value="1" data-correct="true"> The fresh one</label>
<details><summary>Explanation</summary>It was not dried.</details></div>
<div class="choice"><label><input type="radio" name="question-1" value="2" data-correct="false"> The dry one</label></div>
</fieldset><fieldset data-question="2"><legend>What do you need?</legend>
<div class="choice"><label><input type="checkbox" name="question-2" value="1" data-correct="true"> Water</label></div>
<div class="choice"><label><input type="checkbox" name="question-2" value="2" data-correct="false"> Milk</label></div>
</fieldset></form>`;

const ARABIC_TEXT = `<p>القلم من <em>القصب</em>، انظر <a href="#cut">القطع</a>: <code>nib = 3 mm</code>.</p>
<h2 id="cut">القطع</h2><ul><li>حاد</li><li>مائل</li></ul>
<aside class="callout" data-callout="tip"><p class="callout-title">نصيحة</p><p>اقطع ببطء.</p></aside>
<pre><code class="language-python">width = 3  # mm</code></pre>
<table><thead><tr><th>القلم</th><th>العرض</th></tr></thead><tbody><tr><td>الأول</td><td>3 mm</td></tr></tbody></table>
<details class="solution"><summary>الحل</summary><p>أقل.</p></details>`;
const ARABIC_QUIZ = `<form class="quiz" method="dialog"><fieldset data-question="1"><legend>ما هو القلم؟</legend>
<div class="choice"><label><input type="radio" name="question-1" value="1" data-correct="true"> القصب</label></div>
<div class="choice"><label><input type="radio" name="question-1" value="2" data-correct="false"> الحديد</label></div>
</fieldset><fieldset data-question="2"><legend>ماذا تحتاج؟</legend>
<div class="choice"><label><input type="checkbox" name="question-2" value="1" data-correct="true"> الحبر</label></div>
</fieldset></form>`;

/** Returns the catalog for the first or the second import. */
export const createCourses = (edition: 1 | 2): AuthoredCourse[] => [
  {
    _id: "tea",
    slug: "tea",
    name: "All about tea",
    description: "From leaf to cup, in three lessons and a quiz.",
    tags: ["drinks", "kitchen"],
    language: "en",
    thumbnail: `${PICTURES}/curve.svg`,
    createdAt: "2025-01-01",
    chapters: [
      {
        name: "Leaves",
        lessons: [
          {
            id: "green",
            name: "Green tea",
            url: "https://youtu.be/abcdefghijk",
            additionalText: edition === 1 ? TEXT.replace("less heat", "more heat") : TEXT,
            quizHtml: QUIZ,
          },
          { id: "black", name: "Black tea", additionalText: "<p>Pour at 95 degrees.</p>" },
        ],
      },
      { name: "Cups", lessons: [{ id: "empty", name: "An empty cup" }] },
    ],
  },
  {
    _id: "arabic",
    slug: "arabic",
    name: "الخط العربي",
    language: "ar",
    createdAt: "2025-02-01",
    description: "من القصب إلى الحبر، في درسين.",
    tags: ["kitchen"],
    durationMinutes: 95,
    chapters: [
      {
        name: "الأدوات",
        lessons: [
          { id: "pen", name: "القلم", additionalText: ARABIC_TEXT, quizHtml: ARABIC_QUIZ },
          { id: "ink", name: "الحبر", additionalText: "<p>أسود.</p>" },
        ],
      },
    ],
  },
  {
    _id: "names",
    slug: "names",
    name: "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft, and other words that are longer than a line",
    description: "A description that goes on. ".repeat(12),
    tags: ["a-tag-that-is-as-long-as-a-sentence-may-be", "kitchen", "letters", "of all kinds"],
    language: "de-AT",
    durationMinutes: 60,
    thumbnail: `${PICTURES}/none.png`,
    createdAt: "2024-12-01",
    chapters: [
      "An introduction to the words",
      "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamte",
    ].map((name, chapter) => ({
      name,
      lessons: Array.from({ length: 12 }, (_, index) => ({
        id: `${chapter}-${index}`,
        name: `${index + 1}. ${index % 3 === 0 ? "A name that is so long that it does not fit into a line of the outline" : "Short"}`,
        additionalText: "<p>Words.</p>",
      })),
    })),
  },
  { _id: "soon", slug: "soon", name: "Coffee, soon", published: false, createdAt: "2025-03-01" },
];

const CURVE = `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="360" viewBox="0 0 640 360">
<path d="M40 20v300h580" fill="none" stroke="#222" stroke-width="3"/>
<path d="M40 40C120 250 300 290 620 300" fill="none" stroke="#b33" stroke-width="5"/></svg>`;

/** Serves the courses' pictures, one of which is missing. */
export async function servePictures({ context }: TestPage): Promise<void> {
  await context.route(`${PICTURES}/**`, (route) =>
    route.request().url().endsWith(".svg")
      ? route.fulfill({ contentType: "image/svg+xml", body: CURVE })
      : route.fulfill({ status: 404 }),
  );
}
