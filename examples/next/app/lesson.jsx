"use client";
import { useEffect, useRef } from "react";
import { renderQuiz, renderTabs } from "@lectern/client/html";

/** Shows a lesson's HTML with working quizzes. While the HTML stays the same, React does not touch the content. */
export function Lesson({ html, language }) {
  const place = useRef(null);
  useEffect(() => {
    place.current.innerHTML = html;
    renderQuiz(place.current, { language });
    renderTabs(place.current);
  }, [html, language]);
  return <div ref={place} suppressHydrationWarning dangerouslySetInnerHTML={{ __html: html }} />;
}
