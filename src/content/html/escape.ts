/** Escapes text for HTML and for attributes in double quotes. */
export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/**
 * Escapes text for an attribute value in single or double quotes, or without quotes if the text contains no white
 * space.
 */
export function escapeAttribute(text: string): string {
  return escapeHtml(text).replaceAll("'", "&#39;");
}
