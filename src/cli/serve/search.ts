import type { Command } from "commander";
import type { ErrorBody, SearchResultDocument } from "../../catalog/documents.ts";
import { toPrintable } from "../../catalog/printable.ts";
import { askStore } from "./get.ts";
import { CommandFailure, EXIT } from "../failure.ts";
import { paint } from "../terminal/format.ts";
import { addSettings, type SettingValues } from "../settings/settings.ts";
import type { Display, Terminal } from "../terminal/terminal.ts";
import { withStore, type Session } from "../with-store.ts";

const SETTINGS = ["database", "project", "channel", "searchDir"] as const;

type Options = SettingValues<(typeof SETTINGS)[number], "project"> &
  Partial<Record<"course" | "language" | "offset" | "release", string>> & { tag?: string[]; json?: boolean };

interface Page {
  total: number;
  results: SearchResultDocument[];
}

export function addSearchCommand(program: Command, terminal: Terminal): void {
  addSettings(program.command("search <TEXT...>"), SETTINGS)
    .option("--course <COURSE>")
    .option("--language <RANGE>")
    .option("--tag <TAG...>")
    .option("--offset <N>")
    .option("--release <N>")
    .option("--json")
    .action((text: string[], options: Options) =>
      withStore(terminal, options, (session) => searchTexts(session, text.join(" "), options)),
    );
}

async function searchTexts(session: Session, text: string, options: Options): Promise<void> {
  const { course, language, offset, release, tag = [], json = false } = options;
  const query = new URLSearchParams({ q: text });
  for (const [name, value] of Object.entries({ course, language, offset, release })) {
    if (value !== undefined) query.set(name, value);
  }
  for (const each of tag) query.append("tag", each);
  const answer = await askStore(session, options, `/api/v1/search?${query.toString()}`);
  const { status } = answer.response;
  if (status !== 200) {
    if (answer.fault instanceof Error) throw answer.fault;
    const { message } = JSON.parse(answer.text) as ErrorBody;
    throw new CommandFailure(`${message}.`, status === 400 ? EXIT.usage : EXIT.failed);
  }
  const { data } = JSON.parse(answer.text) as { data: Page };
  const { terminal } = session;
  if (json) return terminal.print(JSON.stringify(data));
  const { decodeHTML } = await import("entities");
  for (const result of data.results) terminal.print(formatResult(result, terminal.output, decodeHTML));
  terminal.print(describe(data, Number(offset ?? 0)));
}

function formatResult(result: SearchResultDocument, display: Display, decode: (html: string) => string): string {
  const { courseId, courseName, lessonId, lessonName, headingId, heading, excerpt } = result;
  const title = [courseName, lessonName, heading].filter((part) => part !== "").map(toPrintable);
  const path = lessonId === "" ? courseId : `${courseId}/${lessonId}${headingId === "" ? "" : `#${headingId}`}`;
  const text = excerpt.split(/<\/?mark>/).map((part, index) => {
    const plain = toPrintable(decode(part));
    return index % 2 === 1 ? paint(plain, "bold", display) : plain;
  });
  return `${paint(title.join(" › "), "bold", display)}\n  ${toPrintable(path)}\n  ${text.join("")}\n`;
}

function describe({ total, results }: Page, offset: number): string {
  if (total === 0)
    return "Nothing found. A lesson must contain every word of the query; only the last can be incomplete.";
  const next = offset + results.length;
  const rest = next < total ? ` More: --offset ${next}` : "";
  return `${total} found.${rest}`;
}
