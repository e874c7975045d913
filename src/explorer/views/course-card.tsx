import type { JSX } from "preact";
import { formatAddress } from "../address/address.ts";
import { findDirection } from "../parts/direction.ts";
import { formatLanguage, formatMinutes } from "../parts/format-value.ts";
import { Skeleton } from "../parts/skeleton.tsx";
import { Thumbnail } from "../parts/thumbnail.tsx";
import type { ListedCourse } from "../reading/use-courses.ts";

const MAX_TAGS = 3;

export function CourseCard({ course, release }: { course: ListedCourse; release: number | undefined }): JSX.Element {
  const { name, thumbnail, slug, description, language, tags, durationMinutes } = course;
  const facts = [
    language === "" ? "" : formatLanguage(language),
    durationMinutes === null ? "" : formatMinutes(durationMinutes),
  ].filter((fact) => fact !== "");
  return (
    <li class="card">
      <a href={formatAddress({ kind: "course", course: slug, release })} dir={findDirection(language, name)}>
        <Thumbnail url={thumbnail} name={name} />
        <span class="card-text" lang={language === "" ? undefined : language}>
          <h2 dir="auto">{name}</h2>
          {description === "" ? null : (
            <span class="card-description muted" dir="auto">
              {description}
            </span>
          )}
        </span>
        {facts.length + tags.length === 0 ? null : (
          <span class="card-facts small muted">
            {facts.map((fact) => (
              <span key={fact} dir="ltr">
                {fact}
              </span>
            ))}
            {tags.slice(0, MAX_TAGS).map((tag) => (
              <span key={tag} class="tag" dir="auto">
                {tag}
              </span>
            ))}
          </span>
        )}
      </a>
    </li>
  );
}

/** Shows placeholders while cards load. */
export function CardSkeletons({ count }: { count: number }): JSX.Element {
  return (
    <ul class="cards" aria-hidden="true">
      {Array.from({ length: count }, (_, index) => (
        <li key={index} class="card">
          <div class="card-blank">
            <span class="thumbnail thumbnail-blank" />
            <span class="card-text">
              <Skeleton lines={[80, 55]} />
            </span>
          </div>
        </li>
      ))}
    </ul>
  );
}
