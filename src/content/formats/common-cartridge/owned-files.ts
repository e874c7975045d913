// Files of a resource that are not its text, as Canvas names them.
import type { CartridgeUrls } from "./cartridge-urls.ts";
import type { CartridgeResource } from "./manifest.ts";

const PATTERNS = {
  assignment: /\/assignment_settings\.xml$/,
  introduction: /\/assessment_meta\.xml$/,
  // Canvas gives a quiz twice: the one of the cartridge is without what other platforms may not know.
  quiz: /(?:^|\/)non_cc_assessments\/[^/]+\.xml\.qti$/i,
} as const;

export type OwnedKind = keyof typeof PATTERNS;

/** Looks through the files of each resource once: many may depend on one that has many. */
export class OwnedFiles {
  readonly #known = new Map<CartridgeResource, Partial<Record<OwnedKind, string>>>();
  readonly #urls: CartridgeUrls;

  constructor(urls: CartridgeUrls) {
    this.#urls = urls;
  }

  /** The first file of a kind that a resource has itself; undefined when it has none. */
  find(resource: CartridgeResource, kind: OwnedKind): string | undefined {
    const known = this.#known.get(resource) ?? this.#look(resource);
    return known[kind];
  }

  #look(resource: CartridgeResource): Partial<Record<OwnedKind, string>> {
    const found: Partial<Record<OwnedKind, string>> = {};
    for (const name of [...resource.files, resource.href ?? ""]) {
      const path = this.#urls.findFile(name);
      if (path === undefined) continue;
      for (const kind of ["assignment", "introduction", "quiz"] as const) {
        if (PATTERNS[kind].test(path)) found[kind] ??= path;
      }
    }
    this.#known.set(resource, found);
    return found;
  }
}
