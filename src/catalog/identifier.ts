// Rules for ids and names. Separate from the schemas, so that servers do not load zod.

const CONTROL_CHARACTER = /\p{Cc}/u;

/**
 * Returns true for an id or a slug: 1 to 255 characters, without control characters or `/`. Excludes `.` and `..`,
 * which clients resolve as folders even if percent-encoded (https://url.spec.whatwg.org/#path-state).
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
