/** Matches a target and its parameters, up to the next comma (RFC 8288 §3). */
const LINK = /<([^<>]*)>((?:[^",<]|"[^"]*")*)/g;
const PARAMETER = /;\s*([\w*-]+)\s*=\s*(?:"([^"]*)"|([^\s;,"]*))/g;

/** Returns the URL of the next page; undefined on the last page. */
export function findNextPage(header: string | null): string | undefined {
  for (const [, target, parameters = ""] of (header ?? "").matchAll(LINK)) {
    const rel = [...parameters.matchAll(PARAMETER)].find(([, name = ""]) => name.toLowerCase() === "rel");
    const relations = (rel?.[2] ?? rel?.[3] ?? "").replaceAll("'", "").toLowerCase().split(/\s+/);
    if (relations.includes("next")) return target;
  }
  return undefined;
}
