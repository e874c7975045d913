// Measures the time from saving a file until `lectern preview` announces the new release to its pages.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BUILT_PROGRAM } from "../bin/find-program.mjs";
import { median } from "./compare.ts";
import type { BenchOptions, Row } from "./row.ts";

const GOAL_MS = 300;
const EDITS_PER_ROUND = 6;
const PARAGRAPHS = 10;

interface PreviewShape {
  name: string;
  courses: number;
  lessonsPerCourse: number;
}

const SHAPES: PreviewShape[] = [
  { name: "20 courses of 50 lessons", courses: 20, lessonsPerCourse: 50 },
  { name: "a course of 1,000 lessons", courses: 1, lessonsPerCourse: 1000 },
];

/** Measures 1,000 lessons of 3 KB in one course and in many, a row each. */
export async function measurePreviews({ folder, rounds }: BenchOptions): Promise<Row[]> {
  const rows: Row[] = [];
  for (const shape of SHAPES) {
    const times = await timeEdits(join(folder, "preview"), shape, rounds * EDITS_PER_ROUND);
    const ms = median(times);
    rows.push({
      work: `from a saved file to its page in a preview, ${shape.name}`,
      result: `${ms.toFixed(0)} ms`,
      reach: `≤ ${GOAL_MS} ms`,
      isReached: ms <= GOAL_MS,
      why: "the whole course is read and checked again",
      details: `of ${times.length} edits; the longest ${Math.max(...times).toFixed(0)} ms`,
    });
  }
  return rows;
}

async function timeEdits(folder: string, shape: PreviewShape, edits: number): Promise<number[]> {
  rmSync(folder, { recursive: true, force: true });
  writeCourses(folder, shape);
  const child = Bun.spawn([process.execPath, BUILT_PROGRAM, "preview", folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [url, key] = await readAddress(child.stdout);
    const response = await fetch(`${url}/preview/events`, { headers: { "x-api-key": key } });
    const releases = readReleases(response);
    let { value: release = 0 } = await releases.next();
    const times: number[] = [];
    for (let edit = 0; edit <= edits; edit++) {
      const startedAtMs = performance.now();
      writeLesson(folder, 0, edit % shape.lessonsPerCourse, `Edit ${edit}.`);
      const before = release;
      while (release === before) ({ value: release = 0 } = await releases.next());
      // The first edit also loads code.
      if (edit > 0) times.push(performance.now() - startedAtMs);
    }
    return times;
  } finally {
    child.kill("SIGINT");
    await child.exited;
    rmSync(folder, { recursive: true, force: true });
  }
}

function writeCourses(folder: string, { courses, lessonsPerCourse }: PreviewShape): void {
  for (let course = 0; course < courses; course++) {
    mkdirSync(join(folder, `course-${course}/01-part`), { recursive: true });
    for (let lesson = 0; lesson < lessonsPerCourse; lesson++) writeLesson(folder, course, lesson, "First.");
  }
}

/** About 3 KB. */
function writeLesson(folder: string, course: number, lesson: number, text: string): void {
  const paragraph = (n: number): string =>
    `## Part ${n}\n\nWater, *light* and [stone](${lesson === 0 ? "0001" : "0000"}-lesson.md) in \`rivers\`. ` +
    `${"The garden has a window to the street. ".repeat(5)}\n\n- one\n- two\n`;
  const parts = Array.from({ length: PARAGRAPHS }, (_, n) => paragraph(n));
  const file = `course-${course}/01-part/${String(lesson).padStart(4, "0")}-lesson.md`;
  writeFileSync(join(folder, file), [`# Lesson ${lesson}`, text, ...parts].join("\n\n"));
}

async function readAddress(output: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<[url: string, key: string]> {
  let text = "";
  for await (const chunk of output.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const [, url, key] = /(http:\S+)\/#key=(\S+)\n/.exec(text) ?? [];
    if (url !== undefined && key !== undefined) return [url, key];
  }
  throw new Error(`The preview ended: ${text}`);
}

async function* readReleases({ body }: Response): AsyncGenerator<number> {
  let text = "";
  for await (const chunk of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    const events = (text + chunk).split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) {
      const [, release] = /^data: \{"release":(\d+)/.exec(event) ?? [];
      if (release !== undefined) yield Number(release);
    }
  }
  throw new Error("The preview ended.");
}
