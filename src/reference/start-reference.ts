// Runs in a browser: shows the OpenAPI document of this server, and calls no other host.

/** Scalar's script defines this variable. */
declare const Scalar: { createApiReference: (element: string, configuration: Record<string, unknown>) => void };

/** Comes from the script's URL, so that it includes any path prefix that a proxy adds. */
const base = new URL("../", import.meta.url).href;

Scalar.createApiReference("#reference", {
  url: `${base}openapi.json`,
  servers: [{ url: base.replace(/\/$/, ""), description: "This server" }],
  authentication: { preferredSecurityScheme: "apiKey" },
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  defaultOpenAllTags: true,
  documentDownloadType: "json",
  // Keeps a key only in the tab where it was entered.
  persistAuth: false,
  // Disable everything that calls or links to another host.
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never",
  showToolbar: "never",
});
