import type { JSX } from "preact";

/** Grey lines that hold the place of text which is being read. The numbers are widths in percent. */
export function Skeleton({ lines }: { lines: number[] }): JSX.Element {
  return (
    <div class="skeleton" aria-hidden="true">
      {lines.map((width, index) => (
        <span key={index} style={{ inlineSize: `${width}%` }} />
      ))}
    </div>
  );
}
