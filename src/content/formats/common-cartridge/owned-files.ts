// Auxiliary files of a resource, by Canvas's naming.
import type { CartridgeUrls } from "./cartridge-urls.ts";
import type { CartridgeResource } from "./manifest.ts";

const PATTERNS = {
  assignment: /\/assignment_settings\.xml$/,
  introduction: /\/assessment_meta\.xml$/,
  // Canvas exports each quiz twice; the cartridge's version lacks its extensions.
  quiz: /(?:^|\/)non_cc_assessments\/[^/]+\.xml\.qti$/i,
} as const;

export type OwnedKind = keyof typeof PATTERNS;

/** Searches the files of each resource once: many resources may depend on one with many files. */
export class OwnedFiles {
  readonly #known = new Map<CartridgeResource, Partial<Record<OwnedKind, string>>>();
  readonly #urls: CartridgeUrls;

  constructor(urls: CartridgeUrls) {
    this.#urls = urls;
  }

  /** Returns the resource's first file of this kind. */
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
