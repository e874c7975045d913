// Distinguishes equal lesson names by section.
import type { CourseInput } from "../../catalog/course.ts";
import { listSections, type CourseTree } from "../../catalog/course-tree.ts";

/**
 * Adds the section's name to equal lesson names in a chapter: "Hello, World: Solution"; if names are still equal, adds
 * those of all enclosing sections.
 */
export function qualifyNames(tree: CourseTree | undefined, chapters: CourseInput["chapters"]): CourseInput["chapters"] {
  const sections = listSections(tree, chapters).values();
  return chapters.map((chapter) => {
    const names = chapter.lessons.map(({ name }) => name);
    const around = names.map(() => sections.next().value ?? []);
    const whole = names.map((name, index) => [...(around[index] ?? []), name].join(": "));
    const near = names.map((name, index) => {
      const section = around[index]?.findLast((each) => each !== name);
      return section === undefined ? name : `${section}: ${name}`;
    });
    const [isRepeated, isRepeatedNear] = [findRepeated(names), findRepeated(near)];
    const lessons = chapter.lessons.map((lesson, index) => {
      if (!isRepeated.has(lesson.name)) return lesson;
      const name = isRepeatedNear.has(near[index] ?? "") ? whole[index] : near[index];
      return { ...lesson, name: name ?? lesson.name };
    });
    return { ...chapter, lessons };
  });
}

function findRepeated(names: readonly string[]): Set<string> {
  const known = new Set<string>();
  return new Set(names.filter((name) => known.size === known.add(name).size));
}
