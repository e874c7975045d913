#!/bin/sh
# Prints every lesson of every course, one per line: course, chapter, lesson. Needs curl and jq.
#
#   LECTERN_URL=http://localhost:3000 LECTERN_KEY=… sh list-lessons.sh
set -eu
: "${LECTERN_URL:=http://localhost:3000}" "${LECTERN_KEY:?Set LECTERN_KEY to a key}"

# Pass the key on standard input: other users of the machine can read command lines.
ask() {
  printf 'header = "x-api-key: %s"\n' "$LECTERN_KEY" | curl --silent --show-error --fail --config - "$@"
}

# Read one release, so that nothing changes between requests. Store each answer in a variable: `set -e` ignores a failure
# before a pipe.
head=$(ask --head "$LECTERN_URL/api/v1/courses?limit=1")
release=$(printf '%s\n' "$head" | tr -d '\r' | sed -n 's/^[Cc]atalog-[Rr]elease: //p')

courses=$(ask "$LECTERN_URL/api/v1/courses?release=$release")
ids=$(printf '%s\n' "$courses" | jq -r '.data.results[]._id | @uri')
for id in $ids; do
  course=$(ask "$LECTERN_URL/api/v1/courses/$id?release=$release")
  printf '%s\n' "$course" |
    jq -r '.data as $course | $course.chapters[] as $chapter | $chapter.lessons[] | [$course.name, $chapter.name, .name] | @tsv'
done
