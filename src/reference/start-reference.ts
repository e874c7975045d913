// Runs in a browser: shows the description of the server that this file comes from, and asks no other.

/** What the script of Scalar's package defines. */
declare const Scalar: { createApiReference: (element: string, configuration: Record<string, unknown>) => void };

/** Also behind a proxy that adds a path. */
const base = new URL("../", import.meta.url).href;

Scalar.createApiReference("#reference", {
  url: `${base}openapi.json`,
  servers: [{ url: base.replace(/\/$/, ""), description: "This server" }],
  authentication: { preferredSecurityScheme: "apiKey" },
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  defaultOpenAllTags: true,
  documentDownloadType: "json",
  // A key stays where it was entered: in the tab.
  persistAuth: false,
  // All that would ask another host, or lead there.
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never",
  showToolbar: "never",
});
