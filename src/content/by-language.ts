/** Finds the entry for a language (BCP 47) by its primary subtag; traditional Chinese is `zh-hant`. */
export function findByLanguage<T>(texts: Record<string, T>, language: string | undefined): T | undefined {
  const tag = language?.toLowerCase().replaceAll("_", "-") ?? "";
  const subtag = /^zh-(?:hant|tw|hk|mo)\b/.test(tag) ? "zh-hant" : (tag.split("-")[0] ?? "");
  return Object.hasOwn(texts, subtag) ? texts[subtag] : undefined;
}
