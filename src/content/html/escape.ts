/** Text as HTML shows it, also in an attribute with double quotes. */
export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** Text as the value of an attribute in quotes of either kind, or in none. */
export function escapeAttribute(text: string): string {
  return escapeHtml(text).replaceAll("'", "&#39;");
}
