import { realpathSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { toPrintable } from "../../catalog/printable.ts";
import type { Problem } from "../../content/source.ts";

/** `::error file=a.md,line=3,col=5,title=syntax::message` */
export function formatAnnotation({ severity, kind, file, line, column, message, hints = [] }: Problem): string {
  const properties = Object.entries({ file, line, col: column, title: kind })
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value]) =>
        `${name}=${escapeText(toPrintable(String(value)))
          .replaceAll(":", "%3A")
          .replaceAll(",", "%2C")}`,
    );
  return `::${severity} ${properties.join(",")}::${[message, ...hints].map((text) => escapeText(toPrintable(text))).join("%0A")}`;
}

/** Makes paths relative to the checkout: GITHUB_WORKSPACE, or the current directory. Keeps those of files elsewhere. */
export function createAnnotatedPaths(): (file: string) => string {
  const workspace = process.env["GITHUB_WORKSPACE"] || ".";
  const root = toRealPath(workspace);
  const directory = toRealPath(".");
  // The path may contain a link.
  const typedRoot = resolve(workspace);
  return (file) => {
    for (const from of [typedRoot, root]) {
      const path = relative(from, resolve(directory, file));
      if (path !== "" && path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path))
        return path.replaceAll(sep, "/");
    }
    return file;
  };
}

function toRealPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

// Escapes as @actions/core does. Printable text contains no line break.
function escapeText(text: string): string {
  return text.replaceAll("%", "%25");
}
