import type { Command } from "commander";
import { paint } from "./paint.ts";
import type { Display } from "./terminal.ts";

const STEPS = [
  { what: "See your courses as readers will", command: "preview", example: "preview courses" },
  { what: "Publish them", command: "import", example: "import courses --project acme" },
  { what: "Make a key for a site or an app", command: "keys", example: "keys create --project acme --name website" },
  { what: "Serve them", command: "serve", example: "serve" },
];

/** What to do first, for somebody who has typed the name of the program alone. */
export function formatFirstSteps(program: Command, display: Display): string {
  const known = new Set(program.commands.map((command) => command.name()));
  const steps = STEPS.filter(({ command }) => known.has(command));
  return [
    program.description(),
    "",
    ...steps.flatMap(({ what, example }) => [`${what}:`, `  ${paint(`lectern ${example}`, "bold", display)}`]),
    "",
    "To try it first, `lectern demo` serves examples. `lectern --help` lists all commands.",
  ].join("\n");
}
