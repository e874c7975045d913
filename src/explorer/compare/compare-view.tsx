import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Changes, Release } from "../../../packages/client/src/catalog-client.ts";
import type { Address } from "../address/address.ts";
import { goTo } from "../address/use-address.ts";
import { useArrival } from "../address/use-arrival.ts";
import { formatCount, formatDateTime } from "../parts/format-value.ts";
import { ExchangeIcon } from "../parts/icons.tsx";
import { LoadFault, Notice } from "../parts/notice.tsx";
import { useReleases } from "../parts/release-picker.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { useReading } from "../reading/reading-context.ts";
import { useLoaded } from "../reading/use-loaded.ts";
import { ChangedCourse } from "./changed-course.tsx";

type CompareAddress = Extract<Address, { kind: "compare" }>;

/** The number of courses shown at first, and added by each click. */
const PAGE_SIZE = 20;

/** Shows the changes between two releases. */
export function CompareView({ address }: { address: CompareAddress }): JSX.Element {
  const loaded = useReleases();
  const releases = loaded.value;
  useArrival("compare", "Compare releases", releases !== undefined || loaded.error !== undefined);
  const to = address.to ?? releases?.[0]?.number;
  const from = address.from ?? releases?.find(({ number }) => number !== to)?.number;
  return (
    <div class="compare">
      <div class="view-head">
        <h1 tabIndex={-1}>Compare releases</h1>
      </div>
      <LoadFault loaded={loaded} what="list of releases" />
      {releases === undefined && loaded.error === undefined ? <Skeleton lines={[40, 80, 70]} /> : null}
      {releases !== undefined && (from === undefined || to === undefined) ? (
        <Notice title="Nothing to compare">
          <p>
            {releases.length === 0
              ? "No release has been published yet."
              : "Only one release can be read. Each import with changes creates another."}
          </p>
        </Notice>
      ) : null}
      {releases !== undefined && from !== undefined && to !== undefined ? (
        <>
          <ComparePicker address={address} releases={releases} from={from} to={to} />
          <ChangeList key={`${from} ${to}`} from={from} to={to} />
        </>
      ) : null}
    </div>
  );
}

interface ComparePickerProps {
  address: CompareAddress;
  releases: Release[];
  from: number;
  to: number;
}

function ComparePicker({ address, releases, from, to }: ComparePickerProps): JSX.Element {
  const options = releases.map(({ number, publishedAt }) => (
    <option key={number} value={number}>
      Release {number} · {formatDateTime(publishedAt)}
    </option>
  ));
  const others = (number: number): JSX.Element | null =>
    releases.some((release) => release.number === number) ? null : <option value={number}>Release {number}</option>;
  return (
    <div class="compare-picker">
      <label>
        <span class="small muted">From</span>
        <select value={from} onChange={(event) => goTo({ ...address, from: Number(event.currentTarget.value), to })}>
          {others(from)}
          {options}
        </select>
      </label>
      <button
        type="button"
        class="icon-button"
        aria-label="Swap the releases"
        title="Swap the releases"
        onClick={() => goTo({ ...address, from: to, to: from })}
      >
        <ExchangeIcon />
      </button>
      <label>
        <span class="small muted">To</span>
        <select value={to} onChange={(event) => goTo({ ...address, from, to: Number(event.currentTarget.value) })}>
          {others(to)}
          {options}
        </select>
      </label>
    </div>
  );
}

function ChangeList({ from, to }: { from: number; to: number }): JSX.Element {
  const { session, revision } = useReading();
  const [limit, setLimit] = useState(PAGE_SIZE);
  const loaded = useLoaded(`${from} ${to}`, revision, async (signal) =>
    (await session.reading(to)).changes(from, { signal }),
  );
  const changes = loaded.value;
  if (changes === undefined) {
    return (
      <>
        {loaded.error === undefined ? <Skeleton lines={[80, 70, 75]} /> : null}
        <LoadFault loaded={loaded} what="comparison" />
      </>
    );
  }
  const { results } = changes;
  if (results.length === 0) {
    return (
      <Notice title="Nothing differs">
        <p>Both releases show the same courses and lessons.</p>
      </Notice>
    );
  }
  return (
    <>
      <p class="muted count" role="status">
        {describeChanges(changes)}
      </p>
      <ul class="changes">
        {results.slice(0, limit).map((change) => (
          <ChangedCourse key={change._id} change={change} from={from} to={to} isOpen={results.length === 1} />
        ))}
      </ul>
      {results.length <= limit ? null : (
        <p class="more">
          <button type="button" class="button" onClick={() => setLimit(limit + PAGE_SIZE)}>
            Show more
          </button>
          <span class="small muted">
            {limit} of {formatCount(results.length, "course")}
          </span>
        </p>
      )}
    </>
  );
}

function describeChanges({ results }: Changes): string {
  const kinds = (["added", "changed", "removed"] as const)
    .map((kind) => ({ kind, count: results.filter(({ change }) => change === kind).length }))
    .filter(({ count }) => count > 0)
    .map(({ kind, count }) => `${formatCount(count, "course")} ${kind}`);
  const lessons = results.reduce((sum, course) => sum + course.lessons.length, 0);
  return [...kinds, ...(lessons === 0 ? [] : [`${formatCount(lessons, "lesson")} affected`])].join(", ");
}
