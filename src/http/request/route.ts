import type { Include, OwnParameter } from "./parameters.ts";
import type { RawTarget } from "./request-url.ts";

/** What every route has. */
export interface Route {
  /** For logs and metrics. */
  name: string;
  /** Segments that begin with `:` match any text but the empty one. */
  path: string;
}

/** Content in an envelope, for the holder of a key. */
export interface ContentRoute extends Route {
  kind: "operation";
  /** Query parameters that it knows, beside `release`. */
  parameters: readonly OwnParameter[];
  /** What `include` can ask for, in the order in which the members stand. */
  includes?: readonly Include[];
}

/** A page or a file: it needs no key, and answers in a form of its own. `Context` is what it needs for that. */
export interface PageRoute<Context = undefined> extends Route {
  kind: "page";
  /** What a page of another origin may send, in the answer to a preflight. Absent where only its own origin reads it. */
  requestHeaders?: string;
  /** May throw HttpError. */
  respond: (asked: AskedPage, context: Context) => Response | Promise<Response>;
}

/** A request for a page, with GET or HEAD. */
export interface AskedPage {
  request: Request;
  target: RawTarget;
  /** Decoded path parameters, in order. */
  segments: string[];
}

export interface FoundRoute<R extends Route> {
  route: R;
  /** Path parameters, undecoded. */
  segments: string[];
}

/** Finds routes by path. */
export class RouteTable<R extends Route> {
  readonly routes: readonly R[];
  readonly #patterns: { route: R; pattern: string[] }[];

  constructor(routes: readonly R[]) {
    this.routes = routes;
    this.#patterns = routes.map((route) => ({ route, pattern: partPath(route.path) }));
  }

  /** The route of an undecoded path; one slash at its end makes no difference. Undefined for an unknown path. */
  find(path: string): FoundRoute<R> | undefined {
    const parts = partPath(path);
    for (const { route, pattern } of this.#patterns) {
      const segments = match(pattern, parts);
      if (segments !== undefined) return { route, segments };
    }
    return undefined;
  }
}

/** The segments that stand where a pattern has parameters; undefined where it does not match. */
function match(pattern: string[], parts: string[]): string[] | undefined {
  if (pattern.length !== parts.length) return undefined;
  const segments: string[] = [];
  let index = 0;
  for (const part of parts) {
    const expected = pattern[index++];
    if (expected?.startsWith(":") !== true) {
      if (part !== expected) return undefined;
    } else if (part === "") {
      return undefined;
    } else {
      segments.push(part);
    }
  }
  return segments;
}

function partPath(path: string): string[] {
  const parts = path.split("/");
  if (parts.length > 1 && parts.at(-1) === "") parts.pop();
  return parts;
}

/** The path of a route with its parameters filled in: the canonical form of all its spellings. */
export function formatPath({ path }: Route, segments: string[]): string {
  let next = 0;
  return path.replace(/:[^/]+/g, () => encodeURIComponent(segments[next++] ?? ""));
}
