/** Whether a key goes into a field or a choice, and so is no shortcut. */
export function isTyping({ target }: KeyboardEvent): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
