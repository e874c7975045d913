// Deep links: the URL's fragment contains the whole state of the page, because paths belong to the API.

/** What a view shows. */
export type View =
  | { kind: "catalog"; search: string; language: string; tags: string[] }
  | { kind: "course"; course: string }
  | { kind: "lesson"; course: string; lesson: string; heading: string }
  | { kind: "compare"; from: number | undefined; to: number | undefined };

/** A view with its pinned release; `release` is undefined for the current one. */
export type Address = View & { release: number | undefined };

export type CatalogAddress = Extract<Address, { kind: "catalog" }>;
export type LessonAddress = Extract<Address, { kind: "lesson" }>;

export const EMPTY_CATALOG = { kind: "catalog", search: "", language: "", tags: [] } as const satisfies View;

/** Parses a fragment such as `#/courses/coffee/beans?release=3`. An invalid fragment yields the catalog. */
export function parseAddress(fragment: string): Address {
  const [path = "", query = ""] = fragment.replace(/^#/, "").split(/\?(.*)/s);
  const parameters = new URLSearchParams(query);
  const release = toNumber(parameters.get("release"));
  const [, place, ...segments] = path.split("/").map(decode);
  const [course = "", lesson = ""] = segments;
  if (place === "courses" && lesson !== "") {
    return { kind: "lesson", course, lesson, heading: parameters.get("at") ?? "", release };
  }
  if (place === "courses" && course !== "") return { kind: "course", course, release };
  if (place === "compare") {
    return { kind: "compare", from: toNumber(parameters.get("from")), to: toNumber(parameters.get("to")), release };
  }
  const [search, language] = [parameters.get("name") ?? "", parameters.get("language") ?? ""];
  return { kind: "catalog", search, language, tags: parameters.getAll("tag"), release };
}

/** Formats an address as a fragment, with `#`. */
export function formatAddress(address: Address): string {
  const { release } = address;
  switch (address.kind) {
    case "catalog": {
      const { search, language, tags } = address;
      return format([], { name: search, language, tag: tags, release });
    }
    case "course":
      return format(["courses", address.course], { release });
    case "lesson":
      return format(["courses", address.course, address.lesson], { release, at: address.heading });
    case "compare":
      return format(["compare"], { from: address.from, to: address.to, release });
  }
}

/** Formats a lesson's address as a fragment. */
export function formatLessonAddress(course: string, lesson: string, release: number | undefined): string {
  return formatAddress({ kind: "lesson", course, lesson, heading: "", release });
}

type Query = Record<string, string | number | string[] | undefined>;

function format(segments: string[], query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== "") parameters.append(name, String(each));
    }
  }
  const path = `#/${segments.map(encodeURIComponent).join("/")}`;
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`;
}

function toNumber(text: string | null): number | undefined {
  return text !== null && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
