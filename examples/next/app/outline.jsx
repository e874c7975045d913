import Link from "next/link";
import { toPath } from "./catalog.mjs";

/** Shows the lessons of a course in sections. */
export function Outline({ parts, course, slugs, current }) {
  return (
    <ol>
      {parts.map((part, index) =>
        "parts" in part ? (
          <li key={index}>
            <span>{part.name}</span>
            <Outline parts={part.parts} course={course} slugs={slugs} current={current} />
          </li>
        ) : (
          <li key={part.id}>
            <Link href={toPath(course.slug, slugs.get(part.id))} prefetch={false} aria-current={part.id === current ? "page" : undefined}>
              {part.name}
            </Link>
          </li>
        ),
      )}
    </ol>
  );
}
