// Bun's server with one constant answer for any key: the least that any program on Bun takes.
const [port = ""] = process.argv.slice(2);
const body = new TextEncoder().encode(JSON.stringify({ data: "x".repeat(3000) }));
const headers = new Headers({
  "content-type": "application/json; charset=utf-8",
  "cache-control": "private, no-cache",
  "x-content-type-options": "nosniff",
  vary: "x-api-key, Accept-Encoding",
  etag: '"0123456789abcdef0123456789abcdef"',
  "catalog-release": "1",
});

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(port),
  fetch: (request) => new Response(request.headers.get("x-api-key") === null ? null : body, { headers }),
});
