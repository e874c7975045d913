/**
 * What there is for a language (BCP 47), by its first subtag; Chinese in the traditional script is `zh-hant`. Undefined when there
 * is nothing.
 */
export function findByLanguage<T>(texts: Record<string, T>, language: string | undefined): T | undefined {
  const tag = language?.toLowerCase().replaceAll("_", "-") ?? "";
  const subtag = /^zh-(?:hant|tw|hk|mo)\b/.test(tag) ? "zh-hant" : (tag.split("-")[0] ?? "");
  return Object.hasOwn(texts, subtag) ? texts[subtag] : undefined;
}
