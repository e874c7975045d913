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

# One release for all requests, so that nothing changes in between.
release=$(ask --head "$LECTERN_URL/api/v1/courses?limit=1" | tr -d '\r' | sed -n 's/^[Cc]atalog-[Rr]elease: //p')

ask "$LECTERN_URL/api/v1/courses?release=$release" | jq -r '.data.results[]._id | @uri' | while read -r id; do
  ask "$LECTERN_URL/api/v1/courses/$id?release=$release" |
    jq -r '.data as $course | $course.chapters[] as $chapter | $chapter.lessons[] | [$course.name, $chapter.name, .name] | @tsv'
done
