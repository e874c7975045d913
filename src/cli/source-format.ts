// The format that a folder is read as, and that in which a check prints: one flag, since people think of one word.
import { InvalidArgumentError, Option } from "commander";
import { listFormatNames } from "../content/formats/registry.ts";

const OUTPUTS = ["text", "github"] as const;

/** What `--format` of a check says. */
export interface CheckFormat {
  output: (typeof OUTPUTS)[number];
  /** That of the source; found out where absent. */
  source?: string | undefined;
}

/** `--format`, of the commands that read a source. */
export function createFormatOption(): Option {
  return new Option("--format <FORMAT>", "format that folders are read as, without it found out").choices(
    listFormatNames(),
  );
}

/** `--format` of a check, which may be given twice. */
export function createCheckFormatOption(): Option {
  const all = [...OUTPUTS, ...listFormatNames()];
  const option = new Option(
    "--format <FORMAT>",
    "text, or github for annotations in GitHub Actions; or the format of the source",
  )
    .default({ output: "text" } satisfies CheckFormat, "text")
    .argParser((word, before: CheckFormat): CheckFormat => {
      const output = OUTPUTS.find((name) => name === word);
      if (output !== undefined) return { ...before, output };
      const source = listFormatNames().find((name) => name === word);
      if (source !== undefined) return { ...before, source };
      throw new InvalidArgumentError(`Allowed choices are ${all.join(", ")}.`);
    });
  // Not with `choices`, which would take one alone.
  option.argChoices = all;
  return option;
}
