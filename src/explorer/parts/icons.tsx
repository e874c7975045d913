// Icons, 20 by 20 pixels, in the text's color. Their parents label them.
import type { ComponentChildren, JSX } from "preact";

function Icon({ children }: { children: ComponentChildren }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      {children}
    </svg>
  );
}

/** A lectern with an open book. */
export const BrandIcon = (): JSX.Element => (
  <Icon>
    <path d="M2 5.2 10 7.5l8-2.3v6.6L10 14l-8-2.2z" />
    <path d="M10 7.5V14m0 0v3.5M7 17.5h6" />
  </Icon>
);
export const SearchIcon = (): JSX.Element => (
  <Icon>
    <circle cx="9" cy="9" r="5.5" />
    <path d="m13 13 4 4" />
  </Icon>
);
export const SunIcon = (): JSX.Element => (
  <Icon>
    <circle cx="10" cy="10" r="3.3" />
    <path d="M10 2v2m0 12v2M2 10h2m12 0h2M4.3 4.3l1.5 1.5m8.4 8.4 1.5 1.5m0-11.4-1.5 1.5m-8.4 8.4-1.5 1.5" />
  </Icon>
);
export const MoonIcon = (): JSX.Element => (
  <Icon>
    <path d="M16.5 11.8A6.8 6.8 0 0 1 8.2 3.5a6.8 6.8 0 1 0 8.3 8.3z" />
  </Icon>
);
export const KeyIcon = (): JSX.Element => (
  <Icon>
    <circle cx="6.5" cy="13.5" r="3.5" />
    <path d="m9 11 7.5-7.5M13 7l2.5 2.5" />
  </Icon>
);
export const RequestsIcon = (): JSX.Element => (
  <Icon>
    <path d="m7 6-4 4 4 4m6-8 4 4-4 4" />
  </Icon>
);
export const CheckIcon = (): JSX.Element => (
  <Icon>
    <path d="m4.5 10.5 3.5 3.5 7.5-8" />
  </Icon>
);
export const CloseIcon = (): JSX.Element => (
  <Icon>
    <path d="m5 5 10 10M15 5 5 15" />
  </Icon>
);
export const PreviousIcon = (): JSX.Element => (
  <Icon>
    <path d="m12 4.5-5.5 5.5 5.5 5.5" />
  </Icon>
);
export const NextIcon = (): JSX.Element => (
  <Icon>
    <path d="m8 4.5 5.5 5.5L8 15.5" />
  </Icon>
);
export const ExchangeIcon = (): JSX.Element => (
  <Icon>
    <path d="M4 7h12m-3.5-3.5L16 7l-3.5 3.5M16 13H4m3.5-3.5L4 13l3.5 3.5" />
  </Icon>
);
