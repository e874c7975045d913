import { statSync } from "node:fs";
import type { Command } from "commander";
import type { SourceCourse } from "../../content/source.ts";
import { CommandFailure, EXIT } from "../failure.ts";
import { formatCount } from "../terminal/format.ts";
import { createNotePrinter } from "../terminal/problem-printer.ts";
import { addReadingOptions, toSourceOptions, type ReadingOptions } from "./source-options.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Formats whose lessons consist of several files. No outline can name such lessons. */
const MERGED_FORMATS: ReadonlySet<string> = new Set(["olx", "common-cartridge"]);

export function addOutlineCommand(program: Command, terminal: Terminal): void {
  addReadingOptions(program.command("outline <FOLDER>")).action((path: string, options: ReadingOptions) =>
    printOutline(path, options, terminal),
  );
}

async function printOutline(path: string, options: ReadingOptions, terminal: Terminal): Promise<void> {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new CommandFailure(`There is no folder ${path}.`);
  }
  const { openFolderSource } = await import("../../content/readers/folder.ts");
  const { toOutlineText } = await import("../../content/formats/outline-text.ts");
  const source = openFolderSource(path, toSourceOptions(options, terminal));
  const problems = createNotePrinter(terminal);
  const courses: SourceCourse[] = [];
  for await (const course of source.read((problem) => problems.report(problem))) {
    // A translation shares the outline of its original.
    if (course.course.found?.original === undefined) courses.push(course);
  }
  problems.finish();
  if (problems.errors > 0) {
    throw new CommandFailure(
      `Cannot write an outline: ${formatCount(problems.errors, "error")} in ${source.label}.`,
      EXIT.invalidContent,
    );
  }
  const [course, second] = courses;
  if (course === undefined) throw new CommandFailure(`${path} contains no course.`);
  if (second !== undefined) {
    const count = formatCount(courses.length, "course");
    throw new CommandFailure(`${path} contains ${count}. Give the folder of one, such as ${path}/${course.key}.`);
  }
  if (course.key !== ".") {
    throw new CommandFailure(`The course is in ${path}/${course.key}. Give that folder.`);
  }
  if (MERGED_FORMATS.has(course.format ?? "")) {
    throw new CommandFailure(
      `Each lesson in ${path} consists of several files. Reorder the lessons in the original system, and export the course again.`,
    );
  }
  terminal.print(toOutlineText(course.course, course.key, course.format).trimEnd());
}
