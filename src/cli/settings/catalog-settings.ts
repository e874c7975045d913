// Which catalog a command reads or writes.
import { InvalidArgumentError } from "commander";
import { isProjectName } from "../../catalog/identifier.ts";
import { LIVE_CHANNEL } from "../../catalog/store.ts";
import { define } from "./setting.ts";

/** Project, channel, source, and how many releases stay. */
export const catalogSettings = {
  project: define({
    flag: "project",
    placeholder: "NAME",
    description: "project: 1 to 64 of A-Z a-z 0-9 . _ -",
    parse: parseProject,
  }),
  channel: define({
    flag: "channel",
    placeholder: "NAME",
    description: "channel to publish on or to read: 1 to 64 of A-Z a-z 0-9 . _ -",
    default: LIVE_CHANNEL,
    parse: parseProject,
  }),
  source: define({
    flag: "source",
    placeholder: "NAME",
    description:
      "name of this source, beside others of the project: 1 to 64 of A-Z a-z 0-9 . _ -, first a letter or digit",
    parse: parseSourceName,
  }),
  keep: define({
    flag: "keep",
    placeholder: "N",
    description: "releases to keep per channel; older ones are pruned",
    default: 20,
    parse: parseKeep,
  }),
};

function parseProject(text: string): string {
  if (isProjectName(text)) return text;
  throw new InvalidArgumentError("Expected 1 to 64 of the characters A-Z a-z 0-9 . _ -.");
}

/** The name of a source. Throws InvalidArgumentError. */
export function parseSourceName(text: string): string {
  if (isProjectName(text) && /^[A-Za-z0-9]/.test(text)) return text;
  throw new InvalidArgumentError("Expected 1 to 64 of A-Z a-z 0-9 . _ -, the first a letter or digit.");
}

function parseKeep(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected a number of releases, 1 to 999,999.");
}
