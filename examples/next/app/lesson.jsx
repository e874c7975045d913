"use client";
import { useEffect, useRef } from "react";
import { renderQuiz, renderTabs } from "@lectern/client/html";

/** The HTML of a lesson, whose quizzes answer. React leaves what is in it alone as long as it is the same. */
export function Lesson({ html, language }) {
  const place = useRef(null);
  useEffect(() => {
    place.current.innerHTML = html;
    renderQuiz(place.current, { language });
    renderTabs(place.current);
  }, [html, language]);
  return <div ref={place} suppressHydrationWarning dangerouslySetInnerHTML={{ __html: html }} />;
}
