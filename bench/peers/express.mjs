// What many would write first: Express, SQLite, one query or two per request, JSON made anew each time.
import { Database } from "bun:sqlite";
import { createHash } from "node:crypto";
import express from "express";

const [databasePath = "", key = "", port = ""] = process.argv.slice(2);
const source = new Database(databasePath, { readonly: true });
const database = new Database(":memory:");
database.run(
  "create table courses (id text primary key, project text, name text, thumbnail text, created text, updated text)",
);
database.run("create table chapters (id text, course text, name text, position integer)");
database.run("create table lessons (id text, course text, chapter text, position integer, json text)");
database.run("create index chapters_of on chapters (course)");
database.run("create index lessons_of on lessons (course, id)");
database.run("create table keys (hash text primary key, project text)");
database.run("insert into keys values (?, 'bench')", [hash(key)]);
copyCatalog();

const app = express();
app.use((request, response, next) => {
  const found = database.query("select project from keys where hash = ?").get(hash(request.get("x-api-key") ?? ""));
  if (found === null) response.status(401).json({ data: {}, success: false, message: "Invalid API key", code: 401 });
  else next();
});
app.get("/api/v1/courses", (_, response) => {
  const courses = database.query("select * from courses order by created desc, id").all().map(toSummary);
  response.json(envelope({ total: courses.length, results: courses }));
});
app.get("/api/v1/courses/:id", (request, response) => {
  const { id } = request.params;
  const course = database.query("select * from courses where id = ?").get(id);
  const chapters = database.query("select * from chapters where course = ? order by position").all(id);
  const lessons = database
    .query("select id, chapter, json ->> 'name' as name from lessons where course = ? order by position")
    .all(id);
  response.json(
    envelope({
      ...toSummary(course),
      chapters: chapters.map((chapter) => ({
        id: chapter.id,
        name: chapter.name,
        lessons: lessons.filter((one) => one.chapter === chapter.id).map((one) => ({ id: one.id, name: one.name })),
      })),
    }),
  );
});
app.get("/api/v1/courses/:course/lessons/:lesson", (request, response) => {
  const { course, lesson } = request.params;
  const row = database.query("select json from lessons where course = ? and id = ?").get(course, lesson);
  response.json(envelope(JSON.parse(row.json ?? "{}")));
});
app.listen(Number(port), "127.0.0.1");

function envelope(data) {
  return { data, success: true, message: "", code: 200 };
}

function toSummary(row) {
  const { id, project, name, thumbnail, created, updated } = row;
  return { _id: id, projectId: project, name, thumbnail, createdAt: created, updatedAt: updated };
}

function hash(text) {
  return createHash("sha256").update(text).digest("hex");
}

function copyCatalog() {
  const versions = source.query("select id, course from course_versions").all();
  const insertLesson = database.prepare("insert into lessons values (?, ?, ?, ?, ?)");
  database.transaction(() => {
    for (const version of versions) {
      const course = JSON.parse(version.course);
      const { _id, projectId, name, thumbnail, createdAt, updatedAt } = course;
      const values = [_id, projectId, name, thumbnail, createdAt, updatedAt];
      database.run("insert into courses values (?, ?, ?, ?, ?, ?)", values);
      const documents = new Map(
        source.query("select lesson_id, document from lessons where version_id = ?").values(version.id),
      );
      for (const [position, chapter] of course.chapters.entries()) {
        database.run("insert into chapters values (?, ?, ?, ?)", [chapter.id, _id, chapter.name, position]);
        for (const [index, lesson] of chapter.lessons.entries()) {
          insertLesson.run(lesson.id, _id, chapter.id, index, documents.get(lesson.id) ?? "{}");
        }
      }
    }
  })();
}
