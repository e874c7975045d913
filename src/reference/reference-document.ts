/** The HTML of the reference. `folder` is the path of its files relative to the address, which may end in a slash. */
export function renderReferenceDocument(folder: string, scripts: { page: string; start: string }): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Lectern: reference</title>
<link rel="icon" href="data:,">
<script defer src="${folder}${scripts.page}"></script>
<script type="module" src="${folder}${scripts.start}"></script>
</head>
<body>
<div id="reference"></div>
<noscript>This page needs JavaScript. The description that it shows is <a href="${folder}../openapi.json">openapi.json</a>.</noscript>
</body>
</html>
`;
}
