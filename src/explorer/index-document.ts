/**
 * The explorer's document. Addresses are relative, so that it works behind a proxy that adds a path. `findName` gives the
 * built file of an entry.
 */
export function renderIndexDocument(findName: (entry: string) => string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Lectern</title>
<link rel="stylesheet" href="explorer/${findName("main.css")}">
<script type="module" src="explorer/${findName("main.js")}"></script>
</head>
<body>
<div id="app"></div>
<noscript>This page needs JavaScript. The API does not.</noscript>
</body>
</html>
`;
}
