import "@lectern/client/style.css";
import "@lectern/client/site.css";
import { SITE_URL } from "./catalog.mjs";
import { Search } from "./search.jsx";

export const metadata = {
  metadataBase: new URL(SITE_URL),
  title: "Courses",
  alternates: { canonical: "./", types: { "application/atom+xml": "/feed.xml" } },
};

export default function Layout({ children }) {
  return (
    <html lang="en" dir="auto">
      <body>
        <header className="top">
          <a href="/">Courses</a>
          <Search />
        </header>
        {children}
      </body>
    </html>
  );
}
