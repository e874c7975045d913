import type { ListParameter } from "./parameters.ts";
import { getCourse, getLesson, listCourses, listLessons, type Operation } from "./operations.ts";

export interface Route {
  /** For logs and metrics. */
  name: string;
  /** Segments that begin with `:` take any text but the empty one. */
  path: string;
  operation: Operation;
  /** Query parameters that it knows, beside `release`. */
  parameters: readonly ListParameter[];
}

interface FoundRoute {
  route: Route;
  /** Path parameters as they came, undecoded. */
  segments: string[];
}

/** Every path of the interface. */
export const routes: readonly Route[] = [
  { path: "/api/v1/courses", name: "courses", operation: listCourses, parameters: ["name", "limit", "offset"] },
  { path: "/api/v1/courses/:id", name: "course", operation: getCourse, parameters: [] },
  {
    path: "/api/v1/courses/:courseId/lessons",
    name: "lessons",
    operation: listLessons,
    parameters: ["limit", "offset"],
  },
  { path: "/api/v1/courses/:courseId/lessons/:lessonId", name: "lesson", operation: getLesson, parameters: [] },
];

const table = routes.map((route) => ({ route, pattern: route.path.split("/") }));

/** Finds the route of an undecoded path; one slash at its end makes no difference. Undefined for an unknown path. */
export function findRoute(path: string): FoundRoute | undefined {
  const parts = path.split("/");
  if (parts.length > 1 && parts.at(-1) === "") parts.pop();
  const found = table.find(
    ({ pattern }) =>
      pattern.length === parts.length &&
      pattern.every((part, index) => (part.startsWith(":") ? parts[index] !== "" : part === parts[index])),
  );
  if (found === undefined) return undefined;
  return { route: found.route, segments: parts.filter((_, index) => found.pattern[index]?.startsWith(":")) };
}

/** The path of a route with its parameters filled in: the one form of all its spellings. */
export function formatPath({ path }: Route, segments: string[]): string {
  const rest = segments.map(encodeURIComponent);
  return path.replace(/:\w+/g, () => rest.shift() ?? "");
}
