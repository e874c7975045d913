import type { JSX } from "preact";
import { EMPTY_CATALOG, formatAddress } from "../address/address.ts";

interface BreadcrumbsProps {
  /** Between the catalog and what is shown. */
  trail: { name: string; href: string }[];
  here: string;
  release: number | undefined;
}

/** The way from the catalog to what is shown. */
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
