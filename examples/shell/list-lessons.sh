#!/bin/sh
# Prints every lesson of every course, one a line: course, chapter, lesson. Needs curl and jq.
#
#   LECTERN_URL=http://localhost:3000 LECTERN_KEY=… sh list-lessons.sh
set -eu
: "${LECTERN_URL:=http://localhost:3000}" "${LECTERN_KEY:?Set LECTERN_KEY to a key}"

# The key comes on standard input: what stands in a command line, others on the machine can read.
ask() {
  printf 'header = "x-api-key: %s"\n' "$LECTERN_KEY" | curl --silent --show-error --fail --config - "$@"
}

# One release for all requests, so that nothing changes in between. Each answer goes into a variable: a shell ends with what fails
# there, and not with what fails in front of a pipe.
head=$(ask --head "$LECTERN_URL/api/v1/courses?limit=1")
release=$(printf '%s\n' "$head" | tr -d '\r' | sed -n 's/^[Cc]atalog-[Rr]elease: //p')

courses=$(ask "$LECTERN_URL/api/v1/courses?release=$release")
ids=$(printf '%s\n' "$courses" | jq -r '.data.results[]._id | @uri')
for id in $ids; do
  course=$(ask "$LECTERN_URL/api/v1/courses/$id?release=$release")
  printf '%s\n' "$course" |
    jq -r '.data as $course | $course.chapters[] as $chapter | $chapter.lessons[] | [$course.name, $chapter.name, .name] | @tsv'
done
