import type { JSX } from "preact";

/** Shows gray lines in place of text that is loading. `lines` contains their widths in percent. */
export function Skeleton({ lines }: { lines: number[] }): JSX.Element {
  return (
    <div class="skeleton" aria-hidden="true">
      {lines.map((width, index) => (
        <span key={index} style={{ inlineSize: `${width}%` }} />
      ))}
    </div>
  );
}
