/** The names of outline files; the first that exists is taken. */
export const COURSE_YAML = ["course.yaml", "course.yml"];
export const TOCTREE = ["_toctree.yml", "_toctree.yaml"];
