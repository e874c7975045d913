// A proxy that serves a server under a path, as a site does with `/catalog/`.

export interface PrefixProxy {
  /** With the path, without a slash at its end. */
  url: string;
  stop(): Promise<void>;
}

/** Forwards paths that begin with `/catalog`, without it. */
export function startPrefixProxy(target: string): PrefixProxy {
  const proxy = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url, headers, method }) =>
      fetch(url.replace(/^.*?\/\/[^/]+\/catalog/, target), { method, headers, decompress: false }),
  });
  return { url: `${proxy.url.origin}/catalog`, stop: () => proxy.stop(true) };
}
