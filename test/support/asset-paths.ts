/** The paths of assets in a text, in order. */
export function listAssetPaths(text: string): string[] {
  return [...text.matchAll(/\/assets\/[0-9a-f]{32}\/[\w.~%-]+/g)].map(([path]) => path);
}
