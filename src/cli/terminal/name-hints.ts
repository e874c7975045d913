// Suggests existing names in place of misspelled projects, channels and sources.
import { findNearestName } from "../../catalog/nearest-name.ts";
import { LIVE_CHANNEL } from "../../catalog/store.ts";
import { listLiveChannels } from "../../publishing/channel-history.ts";
import type { Store } from "../../store/open-store.ts";

export interface GivenNames {
  project?: string | undefined;
  channel?: string | undefined;
  source?: string | undefined;
}

/**
 * Returns a hint, such as ` Did you mean project acme?`, or "" if the names exist or resemble no existing name. A name
 * that a command creates can differ from others only in numbers, such as pr-42 and pr-43.
 */
export async function describeMeant(
  { publishing }: Pick<Store, "publishing">,
  { project, channel, source }: GivenNames,
  { isNew = false } = {},
): Promise<string> {
  if (project === undefined) return "";
  const listChannels = async (): Promise<string[]> => [
    ...listLiveChannels(await publishing.listPublications(project)).keys(),
  ];
  const listSources = async (): Promise<string[]> => {
    const release = await publishing.findCurrentRelease(project, channel ?? LIVE_CHANNEL);
    return release === undefined ? [] : (await publishing.listSources(release)).map(({ name }) => name);
  };
  const toStem = (name: string): string => (isNew ? name.replaceAll(/[\d._-]/g, "") : name);
  for (const [what, name, listNames] of [
    ["project", project, () => publishing.listProjects()],
    ["channel", channel, listChannels],
    ["source", source, listSources],
  ] as const) {
    if (name === undefined) continue;
    const names = await listNames();
    if (names.includes(name)) continue;
    const candidates = names.filter((each) => toStem(each) !== toStem(name));
    const meant = findNearestName(name, candidates);
    return meant === undefined ? "" : ` Did you mean ${what} ${meant}?`;
  }
  return "";
}
