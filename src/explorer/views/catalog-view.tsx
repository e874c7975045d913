import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { formatAddress, type CatalogAddress } from "../address/address.ts";
import { replaceAddress } from "../address/use-address.ts";
import { useArrival } from "../address/use-arrival.ts";
import { formatCount, formatNumber } from "../parts/format-value.ts";
import { LoadFault, Notice } from "../parts/notice.tsx";
import { useReading } from "../reading/reading-context.ts";
import { useCourses, type CourseList } from "../reading/use-courses.ts";
import { CardSkeletons, CourseCard } from "./course-card.tsx";
import { CatalogFilters } from "./catalog-filters.tsx";

/** Shows the catalog: a card for each matching course. */
export function CatalogView({ address }: { address: CatalogAddress }): JSX.Element {
  const { announce } = useReading();
  const list = useCourses(address);
  const { courses, total, loaded } = list;
  useArrival(`catalog ${address.release ?? ""}`, "Courses", loaded.value !== undefined);
  const isFiltered = address.search.trim() !== "" || address.language !== "" || address.tags.length > 0;
  const counted = total === undefined ? "" : describeTotal(total, isFiltered);
  useEffect(() => {
    if (counted !== "" && !loaded.isLoading) announce(counted);
  }, [counted, loaded.isLoading, announce]);
  return (
    <div class="catalog">
      <div class="view-head">
        <h1 tabIndex={-1}>Courses</h1>
        {/* Without courses, the notice below says so. */}
        <p class="muted count">{total === 0 ? "" : counted}</p>
      </div>
      <CatalogFilters address={address} courses={courses} />
      <LoadFault loaded={loaded} what="catalog" />
      {loaded.value === undefined && loaded.error === undefined ? <CardSkeletons count={6} /> : null}
      {total === 0 ? <NoCourses address={address} isFiltered={isFiltered} /> : null}
      <ul class={loaded.isLoading ? "cards is-loading" : "cards"}>
        {courses.map((course) => (
          <CourseCard key={course._id} course={course} release={address.release} />
        ))}
      </ul>
      <MoreCourses list={list} />
    </div>
  );
}

function describeTotal(total: number, isFiltered: boolean): string {
  if (isFiltered) return total === 0 ? "No course matches" : `${formatCount(total, "course")} found`;
  return formatCount(total, "course");
}

function MoreCourses({ list: { courses, total = 0, readMore } }: { list: CourseList }): JSX.Element | null {
  const [isReading, setReading] = useState(false);
  if (courses.length >= total) return null;
  const more = (): void => {
    setReading(true);
    void readMore().finally(() => setReading(false));
  };
  return (
    <p class="more">
      <button type="button" class="button" disabled={isReading} onClick={more}>
        {isReading ? "Reading…" : "Show more"}
      </button>
      <span class="muted small">
        {formatNumber(courses.length)} of {formatNumber(total)}
      </span>
    </p>
  );
}

function NoCourses({ address, isFiltered }: { address: CatalogAddress; isFiltered: boolean }): JSX.Element {
  const search = address.search.trim();
  if (!isFiltered) {
    return (
      <Notice title="There are no courses yet">
        <p>
          Nothing is published for this key. To publish courses, run{" "}
          <code>lectern import path/to/courses --project NAME</code>.
        </p>
        <p>Then reload this page.</p>
      </Notice>
    );
  }
  const cleared = { ...address, search: "", language: "", tags: [] };
  return (
    <Notice title="No course matches">
      <p>A course matches if its name contains the text, ignoring case and accents. Drafts are not searched.</p>
      <p class="notice-actions">
        <button type="button" class="button" onClick={() => replaceAddress(cleared)}>
          Show all courses
        </button>
        {search === "" ? null : (
          <a class="button" href={formatAddress({ kind: "course", course: search, release: address.release })}>
            Open “{search}” by id or slug
          </a>
        )}
      </p>
    </Notice>
  );
}
