// A proxy that serves a server under a path, as a site does with `/catalog/`.

/** Forwards paths that begin with `/catalog`, without it. */
export function startPrefixProxy(target: string) {
  const proxy = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url, headers, method }) =>
      fetch(url.replace(/^.*?\/\/[^/]+\/catalog/, target), { method, headers, decompress: false }),
  });
  // Without a slash at its end.
  return { url: `${proxy.url.origin}/catalog`, stop: () => proxy.stop(true) };
}
