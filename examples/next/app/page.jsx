import Link from "next/link";
import { listCourses, toPath } from "./catalog.mjs";

export default async function Front() {
  const courses = await listCourses();
  return (
    <main className="front">
      <h1>Courses</h1>
      <ul className="cards">
        {courses.map(({ _id, slug, name, description, language, tags }) => (
          <li key={_id} className="card">
            <h2>
              <Link href={toPath(slug)}>{name}</Link>
            </h2>
            <p>{description}</p>
            <ul className="tags">
              {[language, ...tags].filter(Boolean).map((each) => (
                <li key={each}>{each}</li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </main>
  );
}
