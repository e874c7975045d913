/** Finds the entry for a BCP 47 tag by its primary subtag, or by `zh-hant` for Traditional Chinese. */
export function findByLanguage<T>(texts: Record<string, T>, language: string | undefined): T | undefined {
  const tag = language?.toLowerCase().replaceAll("_", "-") ?? "";
  const subtag = /^zh-(?:hant|tw|hk|mo)\b/.test(tag) ? "zh-hant" : (tag.split("-")[0] ?? "");
  return Object.hasOwn(texts, subtag) ? texts[subtag] : undefined;
}
