import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Lesson } from "../../../packages/client/src/catalog-client.ts";
import { formatCount } from "../parts/format-value.ts";
import { LoadFault } from "../parts/notice.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { useReading } from "../reading/reading-context.ts";
import { useLoaded } from "../reading/use-loaded.ts";
import { createDiffRows, type DiffRow, type Piece } from "./diff-rows.ts";
import { listSourceLines, listTextLines } from "./lesson-lines.ts";

interface LessonDiffProps {
  course: string;
  lesson: string;
  from: number;
  to: number;
}

/** Shows a lesson in two releases, side by side. */
export function LessonDiff({ course, lesson, from, to }: LessonDiffProps): JSX.Element {
  const { session } = useReading();
  const [showsSource, setShowsSource] = useState(false);
  const loaded = useLoaded(JSON.stringify([course, lesson, from, to]), 0, async (signal) => {
    const read = async (release: number): Promise<Lesson> =>
      (await session.reading(release)).getLesson(course, lesson, { signal });
    return Promise.all([read(from), read(to)]);
  });
  const { value } = loaded;
  const textRows = useMemo(() => value && createDiffRows(listTextLines(value[0]), listTextLines(value[1])), [value]);
  const isSource = showsSource || textRows?.length === 0;
  const rows = useMemo(
    () => (isSource ? value && createDiffRows(listSourceLines(value[0]), listSourceLines(value[1])) : textRows),
    [value, isSource, textRows],
  );
  if (rows === undefined) {
    return (
      <>
        {loaded.error === undefined ? <Skeleton lines={[90, 70, 80]} /> : null}
        <LoadFault loaded={loaded} what="lesson" />
      </>
    );
  }
  return (
    <div class="diff">
      <div class="diff-bar small muted">
        {textRows?.length === 0 ? (
          <span>The text is the same; its HTML differs.</span>
        ) : (
          <label>
            <input type="checkbox" checked={showsSource} onChange={() => setShowsSource(!showsSource)} /> Show the HTML
          </label>
        )}
      </div>
      {rows.length === 0 ? (
        <p class="muted">Name, video, text and quiz are the same; only other fields, such as dates, differ.</p>
      ) : null}
      {rows.length === 0 ? null : <DiffTable rows={rows} from={from} to={to} isSource={isSource} />}
    </div>
  );
}

function DiffTable({
  rows,
  from,
  to,
  isSource,
}: {
  rows: DiffRow[];
  from: number;
  to: number;
  isSource: boolean;
}): JSX.Element {
  return (
    <table class={isSource ? "diff-table is-source" : "diff-table"}>
      <thead class="small muted">
        <tr>
          <th scope="col">Release {from}</th>
          <th scope="col">Release {to}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <DiffLine key={index} row={row} />
        ))}
      </tbody>
    </table>
  );
}

function DiffLine({ row }: { row: DiffRow }): JSX.Element {
  if (row.kind === "gap") {
    return (
      <tr class="diff-gap">
        <td colSpan={2}>{formatCount(row.count, row.of)}</td>
      </tr>
    );
  }
  if (row.kind === "same") {
    return (
      <tr class="diff-same">
        <td>
          <div dir="auto">{row.text}</div>
        </td>
        <td>
          <div dir="auto">{row.text}</div>
        </td>
      </tr>
    );
  }
  return (
    <tr class="diff-changed">
      <td class={row.before === undefined ? "is-none" : "is-before"}>
        {row.before === undefined ? null : <Pieces pieces={row.before} tag="del" />}
      </td>
      <td class={row.after === undefined ? "is-none" : "is-after"}>
        {row.after === undefined ? null : <Pieces pieces={row.after} tag="ins" />}
      </td>
    </tr>
  );
}

function Pieces({ pieces, tag: Tag }: { pieces: Piece[]; tag: "del" | "ins" }): JSX.Element {
  return (
    <div dir="auto">
      {pieces.map(({ text, isChanged }, index) =>
        isChanged ? <Tag key={index}>{text}</Tag> : <span key={index}>{text}</span>,
      )}
    </div>
  );
}
