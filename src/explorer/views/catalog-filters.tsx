import type { JSX } from "preact";
import type { CatalogAddress } from "../address/address.ts";
import { replaceAddress } from "../address/use-address.ts";
import { formatLanguage } from "../parts/format-value.ts";
import type { ListedCourse } from "../reading/use-courses.ts";

const MAX_TAGS = 12;

interface CatalogFiltersProps {
  address: CatalogAddress;
  courses: readonly ListedCourse[];
}

/** Shows filters for the languages and tags of the listed courses; nothing if the courses have none. */
export function CatalogFilters({ address, courses }: CatalogFiltersProps): JSX.Element | null {
  const languages = listMostUsed([...courses.map(({ language }) => language), address.language]);
  const tags = listMostUsed([...courses.flatMap((course) => course.tags), ...address.tags]);
  const shown = [...address.tags, ...tags.filter((tag) => !address.tags.includes(tag))].slice(0, MAX_TAGS);
  if (languages.length < 2 && address.language === "" && shown.length === 0) return null;
  const toggle = (tag: string): void => {
    const has = address.tags.includes(tag);
    replaceAddress({ ...address, tags: has ? address.tags.filter((each) => each !== tag) : [...address.tags, tag] });
  };
  return (
    <div class="filters">
      {languages.length < 2 && address.language === "" ? null : (
        <label class="filter">
          <span class="visually-hidden">Language</span>
          <select
            value={address.language}
            onChange={(event) => replaceAddress({ ...address, language: event.currentTarget.value })}
          >
            <option value="">Every language</option>
            {languages.map((language) => (
              <option key={language} value={language}>
                {formatLanguage(language)}
              </option>
            ))}
          </select>
        </label>
      )}
      <div class="tags" role="group" aria-label="Tags">
        {shown.map((tag) => (
          <button
            key={tag}
            type="button"
            class="tag"
            dir="auto"
            aria-pressed={address.tags.includes(tag)}
            onClick={() => toggle(tag)}
          >
            {tag}
          </button>
        ))}
      </div>
    </div>
  );
}

/** Lists distinct values except "", the most frequent first. */
function listMostUsed(texts: string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of texts) if (text !== "") counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([text]) => text);
}
