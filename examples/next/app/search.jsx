"use client";
import Link from "next/link";
import { useEffect, useState } from "react";

/** Searches as you type. */
export function Search() {
  const [text, setText] = useState("");
  const [results, setResults] = useState([]);
  useEffect(() => {
    const running = new AbortController();
    const show = async () => {
      const answer = text.trim() === "" ? undefined : await fetch(`/search/?${new URLSearchParams({ q: text })}`, { signal: running.signal });
      setResults(answer === undefined ? [] : answer.ok ? await answer.json() : undefined);
    };
    show().catch(() => running.signal.aborted || setResults(undefined));
    return () => running.abort();
  }, [text]);
  return (
    <div className="search">
      <input type="search" placeholder="Search" aria-label="Search" value={text} onChange={({ target }) => setText(target.value)} />
      <ol>
        {results?.map(({ path, courseName, lessonName, excerpt }) => (
          <li key={path}>
            <Link href={path} prefetch={false} onClick={() => setText("")}>
              {lessonName ? `${courseName}: ${lessonName}` : courseName}
            </Link>
            {/* The service escapes the excerpt; only <mark> is markup. */}
            <p dangerouslySetInnerHTML={{ __html: excerpt }} />
          </li>
        )) ?? "Search is unavailable."}
      </ol>
    </div>
  );
}
