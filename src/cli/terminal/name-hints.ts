// Suggests existing names in place of misspelled projects, channels and sources.
import { findNearestName } from "../../catalog/nearest-name.ts";
import { LIVE_CHANNEL } from "../../catalog/store.ts";
import { listLiveChannels } from "../../publishing/channel-history.ts";
import type { Store } from "../../store/open-store.ts";
import { CommandFailure } from "../failure.ts";

export interface GivenNames {
  project?: string | undefined;
  channel?: string | undefined;
  source?: string | undefined;
}

type Meant = { what: "project" | "channel" | "source"; name: string };

/** Returns a hint, such as ` Did you mean project acme?`, or "" if the names exist or resemble no existing name. */
export async function describeMeant(store: Pick<Store, "publishing">, given: GivenNames): Promise<string> {
  return formatHint(await findMeant(store, given, false));
}

/** Like `describeMeant`, for names that a command creates. Throws CommandFailure if the channel is similar to another. */
export async function describeMeantByNew(
  store: Pick<Store, "publishing">,
  { project, channel }: { project: string; channel?: string },
): Promise<string> {
  const meant = await findMeant(store, { project, channel }, true);
  if (meant?.what !== "channel") return formatHint(meant);
  throw new CommandFailure(
    `Project ${project} has no channel ${channel}.${formatHint(meant)} To create ${channel}, run ` +
      `lectern import SOURCE --project ${project} --channel ${channel}`,
  );
}

function formatHint(meant: Meant | undefined): string {
  return meant === undefined ? "" : ` Did you mean ${meant.what} ${meant.name}?`;
}

/** Finds what the first unknown name resembles. A new name can differ from others only in numbers, as pr-42 and pr-43. */
async function findMeant(
  { publishing }: Pick<Store, "publishing">,
  { project, channel, source }: GivenNames,
  isNew: boolean,
): Promise<Meant | undefined> {
  if (project === undefined) return undefined;
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
    return meant === undefined ? undefined : { what, name: meant };
  }
  return undefined;
}
