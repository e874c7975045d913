import type { KnownParameters } from "./parameters.ts";
import type { RawTarget } from "./request-url.ts";

export interface Route {
  name: string;
  /** Segments that begin with `:` match any text but the empty one. */
  path: string;
}

export interface ContentRoute extends Route, KnownParameters {
  kind: "operation";
}

/** A request for a page or a file, with GET or HEAD, which needs no key. */
export interface AskedPage {
  request: Request;
  target: RawTarget;
  segments: string[];
}

export class RouteTable<R extends Route> {
  readonly routes: readonly R[];
  readonly #patterns: { route: R; pattern: RegExp }[];

  constructor(routes: readonly R[]) {
    this.routes = routes;
    this.#patterns = routes.map((route) => {
      const path = route.path.replace(/\/$/, "").replaceAll(".", "\\.").replaceAll(/:\w+/g, "([^/]+)");
      return { route, pattern: new RegExp(`^${path}/?$`) };
    });
  }

  /** The route of an undecoded path, with undecoded path parameters. One slash at the end makes no difference. */
  find(path: string): { route: R; segments: string[] } | undefined {
    for (const { route, pattern } of this.#patterns) {
      const match = pattern.exec(path);
      if (match !== null) return { route, segments: match.slice(1) };
    }
    return undefined;
  }
}
