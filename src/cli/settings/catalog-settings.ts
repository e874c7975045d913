// Which catalog a command reads or writes.
import { InvalidArgumentError } from "commander";
import { isProjectName } from "../../catalog/identifier.ts";
import { LIVE_CHANNEL } from "../../catalog/store.ts";
import { define, whole } from "./setting.ts";

export const catalogSettings = {
  project: define({
    placeholder: "NAME",
    description: "project: 1 to 64 of A-Z a-z 0-9 . _ -",
    parse: parseProject,
  }),
  channel: define({
    placeholder: "NAME",
    description: "channel to publish on or to read: 1 to 64 of A-Z a-z 0-9 . _ -",
    default: LIVE_CHANNEL,
    parse: parseProject,
  }),
  source: define({
    placeholder: "NAME",
    description:
      "name of this source, beside others of the project: 1 to 64 of A-Z a-z 0-9 . _ -, first a letter or digit",
    parse: parseSourceName,
  }),
  keep: whole("N", 1, 999_999, 20, "releases to keep per channel; older ones are pruned"),
};

function parseProject(text: string): string {
  if (isProjectName(text)) return text;
  throw new InvalidArgumentError("Expected 1 to 64 of the characters A-Z a-z 0-9 . _ -.");
}

function parseSourceName(text: string): string {
  if (isProjectName(text) && /^[A-Za-z0-9]/.test(text)) return text;
  throw new InvalidArgumentError("Expected 1 to 64 of A-Z a-z 0-9 . _ -, the first a letter or digit.");
}
