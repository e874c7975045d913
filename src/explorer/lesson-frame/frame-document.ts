/** The names of the files that the frame loads on demand. */
export interface FrameFiles {
  typesetMath: string;
  typesetMathStyle: string;
  highlightCode: string;
}

/**
 * Renders the lesson frame's document. The document's script is inline, because the policy allows only this script,
 * identified by its hash. Throws if the script or the styles contain a tag that would end their element.
 */
export function renderFrameDocument(script: string, styles: string, files: FrameFiles): string {
  if (/<\/(?:script|style)|<!--/i.test(script + styles))
    throw new Error("the lesson frame's script or styles contain `</script`, `</style` or `<!--`");
  const names = { "typeset-math": files.typesetMath, "highlight-code": files.highlightCode };
  const attributes = Object.entries({ ...names, "typeset-math-style": files.typesetMathStyle });
  return `<!doctype html>
<html lang="en" ${attributes.map(([name, value]) => `data-${name}="${value}"`).join(" ")}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Lesson</title>
<style>${styles}</style>
</head>
<body>
<script>${script}</script>
</body>
</html>
`;
}
