import { InvalidArgumentError, Option } from "commander";
import { DEFAULT_MAX_PER_KIND, MAX_PER_KIND } from "./problem-printer.ts";

/** `--max-per-kind`, of the commands that print the problems of a source. */
export function createMaxPerKindOption(): Option {
  return new Option("--max-per-kind <N>", "warnings to print of each kind; 0 prints all, as they are found")
    .default(DEFAULT_MAX_PER_KIND)
    .argParser((text) => {
      const count = /^\d{1,5}$/.test(text) ? Number(text) : Infinity;
      if (count > MAX_PER_KIND) throw new InvalidArgumentError(`Expected a number of warnings, 0 to ${MAX_PER_KIND}.`);
      return count;
    });
}
