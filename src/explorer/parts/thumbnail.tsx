import type { JSX } from "preact";
import { useState } from "preact/hooks";

const SHADES = 6;

/** Shows a course's image, or the first letter of its name on a plain background. */
export function Thumbnail({ url, name }: { url: string; name: string }): JSX.Element {
  const [broken, setBroken] = useState("");
  const [loaded, setLoaded] = useState("");
  if (url !== "" && broken !== url) {
    return (
      <span class="thumbnail">
        <img
          src={url}
          alt=""
          loading="lazy"
          decoding="async"
          class={loaded === url ? "is-loaded" : undefined}
          onLoad={() => setLoaded(url)}
          onError={() => setBroken(url)}
        />
      </span>
    );
  }
  const [letter = ""] = name.replace(/^[^\p{L}\p{N}]+/u, "");
  return (
    <span class={`thumbnail thumbnail-empty shade-${toShade(name)}`} aria-hidden="true">
      <span>{letter.toLocaleUpperCase()}</span>
    </span>
  );
}

/** Returns a shade that depends only on the name. */
function toShade(name: string): number {
  let sum = 0;
  for (const sign of name) sum = (sum * 31 + (sign.codePointAt(0) ?? 0)) % 9973;
  return sum % SHADES;
}
