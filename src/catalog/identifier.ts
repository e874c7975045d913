// Rules for ids and names. They are apart from the schemas, so that a server starts without loading those.

const CONTROL_CHARACTER = /\p{Cc}/u;

/**
 * True for 1 to 255 characters without control characters and `/`: what an id or a slug may be. Not for `.` and `..`: they
 * mean folders in a URL, also percent-encoded, so that no client can ask for them (https://url.spec.whatwg.org/#path-state).
 */
export function isIdentifier(text: string): boolean {
  return (
    text.length > 0 &&
    text !== "." &&
    text !== ".." &&
    (text.length <= 255 || [...text].length <= 255) &&
    !text.includes("/") &&
    !CONTROL_CHARACTER.test(text) &&
    text.isWellFormed()
  );
}

export function isProjectName(text: string): boolean {
  return /^[A-Za-z0-9._-]{1,64}$/.test(text);
}
