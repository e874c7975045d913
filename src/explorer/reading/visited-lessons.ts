// Which lessons were opened here: ids only, in the browser's local storage, so that progress is there the next day.
const PREFIX = "lectern-visited:";
/** Of one course; the oldest go. */
const MAX_LESSONS = 5000;

/** The ids of the lessons of a course that were opened in this browser, in that order. */
export function listVisited(project: string, course: string): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(toName(project, course)) ?? "[]");
    return Array.isArray(stored) ? stored.filter((id) => typeof id === "string") : [];
  } catch {
    return [];
  }
}

/** Notes that a lesson was opened, as the last one of its course. Gives the ids as `listVisited` does. */
export function noteVisited(project: string, course: string, lesson: string): string[] {
  const visited = [...listVisited(project, course).filter((id) => id !== lesson), lesson].slice(-MAX_LESSONS);
  try {
    localStorage.setItem(toName(project, course), JSON.stringify(visited));
  } catch {
    // A browser that stores nothing, or no more: progress lasts as long as the page.
  }
  return visited;
}

/** Forgets the progress through a course. */
export function forgetVisited(project: string, course: string): void {
  try {
    localStorage.removeItem(toName(project, course));
  } catch {
    // There is nothing to forget.
  }
}

function toName(project: string, course: string): string {
  return `${PREFIX}${project}/${course}`;
}
