const PLACEHOLDERS = ["courseSlug", "courseId", "chapterId", "lessonId", "fragment"] as const;
/** `fragment` is decoded and without `#`; "" where a link names no place in the lesson. */
type LessonUrlValues = Record<(typeof PLACEHOLDERS)[number], string>;
const MAX_TEMPLATE = 1000;

/** The fault of a template, as the continuation of "--lesson-url"; undefined where there is none. */
export function findLessonUrlFault(template: string): string | undefined {
  if (template.length > MAX_TEMPLATE) return `is too long: it may have ${MAX_TEMPLATE} characters`;
  // Any other scheme could run scripts; // would name another host, and \ is read as /.
  if (!/^(?:https?:\/\/[^\s/\\{}?#]|\/(?![/\\]))/i.test(template)) return "must begin with https://, http:// or one /";
  if (/[\s"'<>\\`]/.test(template)) return "must be a URL: white space and quotes are to be percent-encoded";
  const known = PLACEHOLDERS.map((name) => `{${name}}`);
  const used: string[] = template.match(/\{[^{}]*\}|[{}]/g) ?? [];
  const unknown = used.find((placeholder) => !known.includes(placeholder));
  if (unknown !== undefined) return `has "${unknown}"; known are ${known.join(", ")}`;
  if (!used.includes("{lessonId}")) return "must hold {lessonId}, or all links would lead to the same place";
  return template.includes("://") && !URL.canParse(template.replace(/[{}]/g, "")) ? "is no URL" : undefined;
}

/** The URL of a lesson: each value percent-encoded as one segment, a fragment behind `#`. The template must have no fault. */
export function toLessonUrl(template: string, values: LessonUrlValues): string {
  return template.replace(/\{(\w+)\}/g, (_, name: keyof LessonUrlValues) => {
    if (name === "fragment") return values.fragment === "" ? "" : `#${encodeURIComponent(values.fragment)}`;
    return encodeURIComponent(values[name]);
  });
}
