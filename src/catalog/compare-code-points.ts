/** Compares texts by code points, the order of their UTF-8 bytes. `<` sorts characters above U+FFFF too low. */
export function compareCodePoints(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
