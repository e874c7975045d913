// A typical first implementation: Express on Node, SQLite, one or more queries per request, no cached JSON.
import { createHash } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import express from "express";
import Database from "libsql";

const [catalogPath = "", key = "", port = ""] = process.argv.slice(2);
const database = createDatabase(`${catalogPath}.express`);

const findKey = database.prepare("select project_id from keys where hash = ?");
const selectCourses = database.prepare("select * from courses where project_id = ? order by created_at desc, id");
const findCourse = database.prepare("select * from courses where project_id = ? and id = ?");
const selectChapters = database.prepare("select * from chapters where course_id = ? order by position");
const selectTitles = database.prepare("select id, chapter_id, name from lessons where course_id = ? order by position");
const findLesson = database.prepare("select * from lessons where course_id = ? and id = ?");

const app = express();
app.use((request, response, next) => {
  const found = findKey.get(hash(request.get("x-api-key") ?? ""));
  if (found === undefined) return refuse(response, 401, "Invalid API key");
  request.projectId = found.project_id;
  next();
});
app.get("/api/v1/courses", (request, response) => {
  const results = selectCourses.all(request.projectId).map(toSummary);
  answer(response, { total: results.length, results });
});
app.get("/api/v1/courses/:id", (request, response) => {
  const course = findCourse.get(request.projectId, request.params.id);
  if (course === undefined) return refuse(response, 404, "Course not found");
  const lessons = selectTitles.all(course.id);
  const chapters = selectChapters.all(course.id).map(({ id, name }) => ({
    id,
    name,
    lessons: lessons
      .filter((lesson) => lesson.chapter_id === id)
      .map((lesson) => ({ id: lesson.id, name: lesson.name })),
  }));
  answer(response, { ...toSummary(course), chapters });
});
app.get("/api/v1/courses/:course/lessons/:lesson", (request, response) => {
  const course = findCourse.get(request.projectId, request.params.course);
  if (course === undefined) return refuse(response, 404, "Course not found");
  const lesson = findLesson.get(course.id, request.params.lesson);
  if (lesson === undefined) return refuse(response, 404, "Lesson not found");
  answer(response, {
    id: lesson.id,
    name: lesson.name,
    url: lesson.url,
    quizHtml: lesson.quiz_html,
    additionalText: lesson.additional_text,
    createdAt: lesson.created_at,
    updatedAt: lesson.updated_at,
  });
});
app.listen(Number(port), "127.0.0.1");

function answer(response, data) {
  response.json({ data, success: true, message: "", code: 200 });
}

function refuse(response, code, message) {
  response.status(code).json({ data: {}, success: false, message, code });
}

function toSummary(row) {
  return {
    _id: row.id,
    projectId: row.project_id,
    name: row.name,
    thumbnail: row.thumbnail,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function hash(text) {
  return createHash("sha256").update(text).digest("hex");
}

/** Copies Lectern's courses into a typical schema. */
function createDatabase(path) {
  rmSync(path, { force: true });
  const copy = new Database(path);
  copy.pragma("journal_mode = memory");
  copy.exec(`
    create table keys (hash text primary key, project_id text);
    create table courses (
      id text primary key, project_id text, name text, thumbnail text, created_at text, updated_at text
    );
    create table chapters (id text, course_id text, name text, position integer, primary key (course_id, id));
    create table lessons (
      id text, course_id text, chapter_id text, name text, url text, quiz_html text, additional_text text,
      created_at text, updated_at text, position integer, primary key (course_id, id)
    );
    create index courses_by_project on courses (project_id, created_at);
  `);
  copy.prepare("insert into keys values (?, 'bench')").run(hash(key));
  const insertCourse = copy.prepare("insert into courses values (?, ?, ?, ?, ?, ?)");
  const insertChapter = copy.prepare("insert into chapters values (?, ?, ?, ?)");
  const insertLesson = copy.prepare("insert into lessons values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  copy.exec("begin");
  // The source of Lectern's catalog is beside it.
  for (const line of readFileSync(catalogPath.replace(/db$/, "ndjson"), "utf8").trim().split("\n")) {
    const { _id, name, thumbnail, createdAt, chapters } = JSON.parse(line);
    insertCourse.run(_id, "bench", name, thumbnail, createdAt, createdAt);
    let position = 0;
    for (const [index, chapter] of chapters.entries()) {
      insertChapter.run(chapter.id, _id, chapter.name, index);
      for (const { id, name: title, url, additionalText } of chapter.lessons) {
        const values = [title, url, "", additionalText, createdAt, createdAt, position++];
        insertLesson.run(id, _id, chapter.id, ...values);
      }
    }
  }
  copy.exec("commit");
  return copy;
}
