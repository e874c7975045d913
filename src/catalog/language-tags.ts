// Detects languages in file and folder names by a tag, a common misnomer or an English name.

/** Country codes and misspelled tags that translators use in place of language tags. */
const MISNOMERS: Record<string, string> = {
  cn: "zh-CN",
  cz: "cs",
  dk: "da",
  gj: "gu",
  gr: "el",
  jp: "ja",
  kr: "ko",
  ptbr: "pt-BR",
  ua: "uk",
  vn: "vi",
};

/** Names of folders that contain translations but no originals. */
const CONTAINER = /^(?:translations?|i18n|l10n|locales?|lang(?:uage)?s?)$/i;

const englishNames = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });
const LETTERS = [..."abcdefghijklmnopqrstuvwxyz"];

const TAG_OF_NAME = new Map(
  LETTERS.flatMap((first) => LETTERS.map((second) => first + second)).flatMap((tag): [string, string][] => {
    const name = englishNames.of(tag);
    return name === undefined ? [] : [[name.toLowerCase(), tag]];
  }),
);

/** Returns the tag for a name such as `en`, `zh-CN`, `pt_br` or `cn`. Ignores names of three letters, such as `src`. */
export function findLanguageTag(name: string): string | undefined {
  const lower = name.toLowerCase();
  if (Object.hasOwn(MISNOMERS, lower)) return MISNOMERS[lower];
  if (!/^(?:[a-z]{2}|[a-z]{2,3}[-_](?:[a-z]{2}|[a-z]{4}|\d{3})(?:[-_][a-z]{2})?)$/i.test(name)) return undefined;
  try {
    const [tag] = Intl.getCanonicalLocales(name.replaceAll("_", "-"));
    return tag !== undefined && englishNames.of(tag) !== undefined ? tag : undefined;
  } catch {
    return undefined;
  }
}

export interface TaggedPath {
  language: string;
  /** The original's possible paths: this path without the language, with and without its translations folder. */
  plain: string[];
}

/**
 * Match names that end with a language, such as `README-pt-BR` or `lesson.de`. The pattern for two-part tags comes
 * first.
 */
const SUFFIXES = [/^(.+?)[._-]([a-z]{2,3}[-_](?:[a-z]{2}|[a-z]{4}))$/i, /^(.+)[._-]([a-z]{2,4})$/i];

/** Returns the language at the end of a file's name, or else that of the innermost folder that names one. */
export function findPathLanguage(path: string): TaggedPath | undefined {
  const parts = path.split("/");
  const [file = ""] = parts.slice(-1);
  const ending = /\.[a-z\d]+$/i.exec(file)?.[0] ?? "";
  return (
    cutLanguage(parts, parts.length - 1, file.slice(0, file.length - ending.length), ending) ??
    parts.slice(0, -1).reduceRight<TaggedPath | undefined>((found, name, at) => {
      return found ?? cutLanguage(parts, at, name);
    }, undefined)
  );
}

/** Returns the language of the innermost folder that names a language. */
export function findFolderLanguage(path: string): TaggedPath | undefined {
  const { language, plain = [] } = findPathLanguage(`${path}/`) ?? {};
  return language === undefined ? undefined : { language, plain: plain.map((each) => each.replace(/\/$/, "")) };
}

function cutLanguage(parts: string[], at: number, stem: string, ending?: string): TaggedPath | undefined {
  const isWhole = ending === undefined;
  const whole = isWhole ? (findLanguageTag(stem) ?? TAG_OF_NAME.get(stem.toLowerCase())) : undefined;
  const ends = SUFFIXES.map((suffix) => suffix.exec(stem) ?? []);
  const [, before = "", written = ""] = ends.find(([, , tag = ""]) => findLanguageTag(tag) !== undefined) ?? [];
  const language = whole ?? findLanguageTag(written);
  if (language === undefined) return undefined;
  const around = parts.slice(0, at);
  const rest = [...(whole === undefined ? [before + (ending ?? "")] : []), ...parts.slice(at + 1)];
  const plain = [[...around, ...rest].join("/")];
  if (CONTAINER.test(around.at(-1) ?? "")) plain.push([...around.slice(0, -1), ...rest].join("/"));
  return { language, plain };
}

/** Returns a language's name in that language, such as `Português (Brasil)`. */
export function nameLanguage(tag: string): string {
  const name = new Intl.DisplayNames([tag], { type: "language" }).of(tag) ?? tag;
  // Georgian has capitals, but does not begin names with them.
  return /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/u.test(name)
    ? name.charAt(0).toUpperCase() + name.slice(1)
    : name;
}

/** Compares tags independently of the machine's locale. */
export function compareLanguages(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
