// Stores visited lesson ids in the browser's local storage.
const PREFIX = "lectern-visited:";
/** The maximum number of lessons stored per course. The oldest visits are dropped. */
const MAX_LESSONS = 5000;

/** Lists the ids of a course's visited lessons, in the order of visits. */
export function listVisited(project: string, course: string): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(toName(project, course)) ?? "[]");
    return Array.isArray(stored) ? stored.filter((id) => typeof id === "string") : [];
  } catch {
    return [];
  }
}

/** Records a lesson as the last one visited. Returns the same list as `listVisited`. */
export function noteVisited(project: string, course: string, lesson: string): string[] {
  const visited = [...listVisited(project, course).filter((id) => id !== lesson), lesson].slice(-MAX_LESSONS);
  try {
    localStorage.setItem(toName(project, course), JSON.stringify(visited));
  } catch {
    // Without storage or space, progress lasts only as long as the page.
  }
  return visited;
}

export function forgetVisited(project: string, course: string): void {
  try {
    localStorage.removeItem(toName(project, course));
  } catch {
    // Nothing is stored.
  }
}

function toName(project: string, course: string): string {
  return `${PREFIX}${project}/${course}`;
}
