// Reads every page of a built site, and follows its links, images and fragments.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { Parser } from "htmlparser2";

/** `site` is the folder's address. Requests images of `service`, and no other host. */
export async function crawlSite(folder: string, site: string, service?: string) {
  const names = new Set((await readdir(folder, { recursive: true })).map((name) => name.replaceAll("\\", "/")));
  const pages = new Map<string, ReturnType<typeof readPage>>();
  for (const name of names) {
    if (name.endsWith(".html")) pages.set(name, readPage(await Bun.file(join(folder, name)).text()));
  }
  const base = new URL(site);
  const findFile = ({ pathname }: URL): string | undefined => {
    const path = decodeURIComponent(pathname.slice(base.pathname.length));
    return [path, `${path}index.html`, `${path}.html`, `${path}/index.html`].find(
      (each) => names.has(each) && each.includes("."),
    );
  };
  /** `dead` lists `PAGE: ADDRESS` of each dead link and image. */
  const crawl = { pages: pages.size, links: 0, images: 0, dead: [] as string[] };
  const asked = new Map<string, Promise<boolean>>();
  const isThere = (address: string): Promise<boolean> => {
    const known = asked.get(address) ?? fetch(address, { method: "HEAD" }).then(({ ok }) => ok);
    asked.set(address, known);
    return known;
  };
  for (const [name, { links, images }] of pages) {
    const here = new URL(encodeURI(name.replace(/(?:^|(?<=\/))index\.html$/, "")), base);
    for (const address of [...links, ...images]) {
      const target = URL.canParse(address, here.href) ? new URL(address, here) : undefined;
      if (target?.origin === base.origin) {
        const file = findFile(target);
        const fragment = decodeURIComponent(target.hash.slice(1));
        const page = pages.get(file ?? "");
        const isDead = file === undefined || (fragment !== "" && page !== undefined && !page.ids.has(fragment));
        if (isDead) crawl.dead.push(`${name}: ${address}`);
      } else if (target === undefined || (target.origin === service && !(await isThere(target.href)))) {
        crawl.dead.push(`${name}: ${address}`);
      }
    }
    crawl.links += links.length;
    crawl.images += images.length;
  }
  return crawl;
}

function readPage(html: string) {
  const page = { ids: new Set(["top"]), links: [] as string[], images: [] as string[] };
  const parser = new Parser({
    onopentag(name, { id, href, src, srcset, name: anchor, content, "http-equiv": equivalent }) {
      if (id !== undefined) page.ids.add(id);
      if (name === "a" && anchor !== undefined) page.ids.add(anchor);
      if (href !== undefined && name !== "base") page.links.push(href);
      if (src !== undefined && name !== "iframe") page.images.push(src);
      for (const each of srcset?.split(/\s+,\s*|,\s+/) ?? []) page.images.push(each.trim().split(/\s/)[0] ?? "");
      const [, redirect] = /;\s*url=(.*)/i.exec(content ?? "") ?? [];
      if (equivalent === "refresh" && redirect !== undefined) page.links.push(redirect);
    },
  });
  parser.end(html);
  return page;
}
