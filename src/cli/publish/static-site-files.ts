// Configures nginx, Caddy and Netlify to answer like Lectern.

export const NOT_FOUND_BODY = '{"data":{},"success":false,"message":"Not found","code":404}';

const JSON_TYPE = "application/json; charset=utf-8";
/** Prevents authors' files from running scripts on the origin of the site. */
const ASSET_POLICY = "default-src 'none'; style-src 'unsafe-inline'";
/** The endings of scripts and style sheets, which no page may use: servers know types for them. */
const SCRIPTS = ["js", "mjs", "css", "wasm"];
const BYTES_TYPE = "application/octet-stream";
const ASSET_CACHING = "public, max-age=31536000, immutable";
/** Static files need no key, but clients written for a server send these request headers. */
const PREFLIGHT = { "Access-Control-Allow-Headers": "x-api-key, if-none-match", "Access-Control-Max-Age": "86400" };

type Fields = Record<string, string>;

export function renderSiteFiles(release: number): Record<string, string> {
  const common = { "X-Content-Type-Options": "nosniff", "Access-Control-Allow-Origin": "*" };
  const answers = {
    "Cache-Control": "public, no-cache",
    ...common,
    "Access-Control-Expose-Headers": "etag, catalog-release",
    "Catalog-Release": String(release),
  };
  const assets = { "Cache-Control": ASSET_CACHING, ...common, "Content-Security-Policy": ASSET_POLICY };
  const netlify = (fields: Fields): string => render(fields, (name, value) => `  ${name}: ${value}\n`);
  return {
    "nginx.conf": renderNginx(answers, assets),
    Caddyfile: renderCaddy(answers, assets),
    "public/_headers": `/api/v1/*\n${netlify({ ...answers, "Content-Type": JSON_TYPE })}/assets/*\n${netlify(assets)}`,
    "public/_redirects": "/api/v1/* /api/v1/:splat/index.json 200\n/* /404.json 404\n",
  };
}

function render(fields: Fields, renderField: (name: string, value: string) => string): string {
  return Object.entries(fields)
    .map(([name, value]) => renderField(name, value))
    .join("");
}

function renderNginx(answers: Fields, assets: Fields): string {
  const add = (fields: Fields, indent: string): string =>
    render(fields, (name, value) => `${indent}add_header ${name} "${value}" always;\n`);
  return `# For use in a server { } block.
root /var/www/catalog/public;
error_page 404 /404.json;

location = /404.json {
  internal;
  types { }
  default_type "${JSON_TYPE}";
  add_header Cache-Control "no-store" always;
  add_header Access-Control-Allow-Origin "*" always;
}
location /api/v1/ {
  types { }
  default_type "${JSON_TYPE}";
  gzip_static on;
  try_files $uri/index.json =404;
${add(answers, "  ")}  if ($request_method = OPTIONS) {
${add({ "Access-Control-Allow-Origin": "*", ...PREFLIGHT }, "    ")}    return 204;
  }
}
location /assets/ {
${add(assets, "  ")}  location ~* \\.(?:${SCRIPTS.join("|")})$ {
    types { }
    default_type ${BYTES_TYPE};
  }
}
location / { return 404; }
`;
}

function renderCaddy(answers: Fields, assets: Fields): string {
  const add = (fields: Fields): string => render(fields, (name, value) => `\t\theader ${name} "${value}"\n`);
  return `catalog.example {
	root * /var/www/catalog/public
	@preflight method OPTIONS
	handle @preflight {
${add({ "Access-Control-Allow-Origin": "*", ...PREFLIGHT })}		respond 204
	}
	handle /api/v1/* {
${add({ ...answers, "Content-Type": JSON_TYPE })}		try_files {path}/index.json =404
		file_server {
			precompressed gzip
		}
	}
	handle /assets/* {
${add(assets)}		@scripts path ${SCRIPTS.map((ending) => `*.${ending}`).join(" ")}
		header @scripts Content-Type ${BYTES_TYPE}
		file_server
	}
	handle {
		error 404
	}
	handle_errors {
${add({ "Content-Type": JSON_TYPE, "Cache-Control": "no-store", "Access-Control-Allow-Origin": "*" })}		rewrite * /404.json
		file_server
	}
}
`;
}
