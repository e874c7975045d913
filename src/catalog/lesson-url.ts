const PLACEHOLDERS = ["courseSlug", "courseId", "chapterId", "lessonId", "fragment"] as const;
/** `fragment` is decoded, without `#`; "" if absent. */
type LessonUrlValues = Record<(typeof PLACEHOLDERS)[number], string>;
const MAX_TEMPLATE = 1000;

/** Returns a fault in words that follow "--lesson-url" in a message; undefined for a valid template. */
export function findLessonUrlFault(template: string): string | undefined {
  if (template.length > MAX_TEMPLATE) return `is too long: the limit is ${MAX_TEMPLATE} characters`;
  // Other schemes could run scripts. `//` would name another host, and browsers read `\` as `/`.
  if (!/^(?:https?:\/\/[^\s/\\{}?#]|\/(?![/\\]))/i.test(template)) return "must begin with https://, http:// or one /";
  if (/[\s"'<>\\`]/.test(template)) return "must be a URL: percent-encode white space and quotes";
  const known = PLACEHOLDERS.map((name) => `{${name}}`);
  const used: string[] = template.match(/\{[^{}]*\}|[{}]/g) ?? [];
  const unknown = used.find((placeholder) => !known.includes(placeholder));
  if (unknown !== undefined) return `contains "${unknown}"; the placeholders are ${known.join(", ")}`;
  if (!used.includes("{lessonId}")) return "must contain {lessonId}, or all lessons would have the same URL";
  return template.includes("://") && !URL.canParse(template.replace(/[{}]/g, "")) ? "is not a valid URL" : undefined;
}

/**
 * Returns the URL of a lesson: values are percent-encoded as path segments, and a fragment follows `#`. Requires a
 * valid template.
 */
export function toLessonUrl(template: string, values: LessonUrlValues): string {
  return template.replace(/\{(\w+)\}/g, (_, name: keyof LessonUrlValues) => {
    if (name === "fragment") return values.fragment === "" ? "" : `#${encodeURIComponent(values.fragment)}`;
    return encodeURIComponent(values[name]);
  });
}
