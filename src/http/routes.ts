import { listChanges, listReleases } from "./operations/history.ts";
import type { OperationRoute, Route } from "./operations/operation.ts";
import { getCourse, listCourses } from "./operations/courses.ts";
import { getLesson, listLessons } from "./operations/lessons.ts";
import { ASSET_REQUEST_HEADERS, serveAsset, type AssetContext } from "./pages/serve-asset.ts";
import {
  serveDescription,
  serveExplorer,
  serveFileOf,
  serveHealth,
  serveLessonFrame,
  serveReference,
  type PageContext,
} from "./pages/serve-pages.ts";
import { CONTENT_REQUEST_HEADERS } from "./request/cors.ts";
import { search } from "./operations/search.ts";
import type { AskedPage } from "./request/request-url.ts";

/** The route of a page or file, which needs no key and has no envelope. */
export interface PageRoute extends Route {
  kind: "page";
  /** The request header fields that a preflight allows. Absent if other origins cannot read the page. */
  requestHeaders?: string;
  /** True if requests count against the download limit per address. */
  isDownload?: true;
  respond: (asked: AskedPage, context: AssetContext & PageContext) => Response | Promise<Response>;
}

export type AnyRoute = OperationRoute | PageRoute;

export const routes: readonly AnyRoute[] = [
  {
    kind: "operation",
    path: "/api/v1/courses",
    name: "courses",
    operation: listCourses,
    parameters: ["name", "language", "tag", "ids", "updatedSince", "sort", "include", "limit", "offset"],
    includes: ["meta", "digest"],
  },
  {
    kind: "operation",
    path: "/api/v1/courses/:id",
    name: "course",
    operation: getCourse,
    parameters: ["include"],
    includes: ["lessons", "meta", "tree"],
  },
  {
    kind: "operation",
    path: "/api/v1/courses/:courseId/lessons",
    name: "lessons",
    operation: listLessons,
    parameters: ["include", "limit", "offset"],
    includes: ["meta", "digest"],
  },
  {
    kind: "operation",
    path: "/api/v1/courses/:courseId/lessons/:lessonId",
    name: "lesson",
    operation: getLesson,
    parameters: ["include"],
    includes: ["meta", "nav"],
  },
  {
    kind: "operation",
    path: "/api/v1/search",
    name: "search",
    operation: search,
    parameters: ["q", "course", "language", "tag", "limit", "offset"],
  },
  {
    kind: "page",
    path: "/assets/:digest/:name",
    name: "asset",
    requestHeaders: ASSET_REQUEST_HEADERS,
    isDownload: true,
    respond: serveAsset,
  },
  { kind: "operation", path: "/api/v1/changes", name: "changes", operation: listChanges, parameters: ["since"] },
  {
    kind: "operation",
    path: "/api/v1/releases",
    name: "releases",
    operation: listReleases,
    parameters: [],
    dependsOnChannel: true,
  },
  { kind: "page", path: "/healthz", name: "health", respond: serveHealth },
  { kind: "page", path: "/", name: "explorer", respond: serveExplorer },
  // Must precede the files, whose pattern matches this path, too.
  { kind: "page", path: "/explorer/lesson", name: "explorer-lesson", respond: serveLessonFrame },
  { kind: "page", path: "/explorer/:file", name: "explorer-file", respond: serveFileOf("explorer") },
  {
    kind: "page",
    path: "/openapi.json",
    name: "description",
    requestHeaders: CONTENT_REQUEST_HEADERS,
    respond: serveDescription,
  },
  { kind: "page", path: "/docs", name: "reference", respond: serveReference },
  { kind: "page", path: "/docs/:file", name: "reference-file", respond: serveFileOf("reference") },
];

const patterns = routes.map((route) => {
  const path = route.path.replace(/\/$/, "").replaceAll(".", "\\.").replaceAll(/:\w+/g, "([^/]+)");
  return { route, pattern: new RegExp(`^${path}/?$`) };
});

/** Finds the route for a raw path, and its raw path parameters. Ignores one trailing slash. */
export function findRoute(path: string): { route: AnyRoute; segments: string[] } | undefined {
  for (const { route, pattern } of patterns) {
    const match = pattern.exec(path);
    if (match !== null) return { route, segments: match.slice(1) };
  }
  return undefined;
}
