import type { JSX } from "preact";
import type { Release } from "../../../packages/client/src/catalog-client.ts";
import { formatAddress, type Address } from "../address/address.ts";
import { goTo } from "../address/use-address.ts";
import { useReading } from "../reading/reading-context.ts";
import { useLoaded, type Loaded } from "../reading/use-loaded.ts";
import { formatDateTime } from "./format-value.ts";

/** Loads the releases that the key can read, the most recently published first. */
export function useReleases(): Loaded<Release[]> {
  const { session, revision } = useReading();
  return useLoaded("releases", revision, async (signal) => (await session.reading(undefined)).releases({ signal }));
}

/** Lets the reader choose the current release or pin another. */
export function ReleasePicker(): JSX.Element {
  const { address, session } = useReading();
  const { value: releases = [] } = useReleases();
  const current = session.current ?? releases[0]?.number;
  const choose = (text: string): void => goTo({ ...address, release: text === "" ? undefined : Number(text) });
  const { release } = address;
  const isKnown = release === undefined || releases.some(({ number }) => number === release);
  return (
    <div class="picker">
      <label class="visually-hidden" for="release">
        Release
      </label>
      <select id="release" value={release ?? ""} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">{current === undefined ? "Nothing published" : `Current release (${current})`}</option>
        {isKnown ? null : <option value={release}>Release {release}</option>}
        {releases.map(({ number, publishedAt }) => (
          <option key={number} value={number}>
            Release {number} · {formatDateTime(publishedAt)}
          </option>
        ))}
      </select>
      <a class="quiet-link" href={formatAddress({ kind: "compare", from: undefined, to: undefined, release })}>
        Compare
      </a>
    </div>
  );
}

/** Shows which release is pinned, and whether another is current. */
export function PinnedLine(): JSX.Element | null {
  const { address, session } = useReading();
  const { release } = address;
  const { current } = session;
  if (release === undefined) return null;
  const unpinned: Address = { ...address, release: undefined };
  return (
    <p class="pinned-line" role="status">
      <span>
        You are reading <strong>release {release}</strong>
        {current === undefined || current === release ? "" : `, not the current one, ${current}`}.
      </span>
      {current === undefined || current === release ? null : (
        <a href={formatAddress({ kind: "compare", from: release, to: current, release })}>What changed</a>
      )}
      <a href={formatAddress(unpinned)}>Read the current release</a>
    </p>
  );
}
