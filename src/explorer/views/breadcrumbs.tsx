import type { JSX } from "preact";
import { EMPTY_CATALOG, formatAddress } from "../address/address.ts";

interface BreadcrumbsProps {
  /** The links between the catalog and the current view. */
  trail: { name: string; href: string }[];
  here: string;
  release: number | undefined;
}

/** Shows the path from the catalog to the current view. */
export function Breadcrumbs({ trail, here, release }: BreadcrumbsProps): JSX.Element {
  return (
    <nav aria-label="Breadcrumbs" class="breadcrumbs small">
      <ol>
        <li>
          <a href={formatAddress({ ...EMPTY_CATALOG, tags: [], release })} lang="en">
            Courses
          </a>
        </li>
        {trail.map(({ name, href }) => (
          <li key={href}>
            <a href={href} dir="auto">
              {name}
            </a>
          </li>
        ))}
        <li aria-current="page" dir="auto">
          {here}
        </li>
      </ol>
    </nav>
  );
}
