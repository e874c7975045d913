/**
 * Renders the explorer's document. Its URLs are relative, so that they work behind a proxy that adds a path. `findName`
 * returns the built file for a name such as `main.css`; each entry has a stylesheet and a script.
 */
export function renderIndexDocument(findName: (entry: string) => string, entries: readonly string[]): string {
  const styles = entries.map((entry) => `<link rel="stylesheet" href="explorer/${findName(`${entry}.css`)}">`);
  const scripts = entries.map((entry) => `<script type="module" src="explorer/${findName(`${entry}.js`)}"></script>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Lectern</title>
<link rel="icon" href="explorer/${findName("icon.svg")}" type="image/svg+xml">
${[...styles, ...scripts].join("\n")}
</head>
<body>
<div id="app"></div>
<noscript>This page needs JavaScript. The API does not.</noscript>
</body>
</html>
`;
}
