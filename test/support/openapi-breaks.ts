// What of a description of the interface would break programs that were written for an earlier one.

type Node = Record<string, unknown>;
interface Description {
  paths: Record<string, Record<string, Node>>;
  [member: string]: unknown;
}
interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: Node;
}

const METHODS = ["get", "head", "options"];
/** A greater number is narrower for the first, a smaller one for the second. */
const LOWER_BOUNDS = ["minimum", "exclusiveMinimum", "minLength", "minItems"];
const UPPER_BOUNDS = ["maximum", "exclusiveMaximum", "maxLength", "maxItems"];

/**
 * Lists what the current description takes away from programs that go by the released one: paths, operations, statuses, headers,
 * members, or requests that were taken before. What is new is no break, except a member that nobody has asked for.
 */
export function findBreaks(released: unknown, current: unknown): string[] {
  const [before, after] = [released as Description, current as Description];
  return Object.entries(before.paths).flatMap(([path, operations]) => {
    const others = after.paths[path];
    if (others === undefined) return [`${path} is gone`];
    return METHODS.flatMap((method) => {
      const [operation, other] = [operations[method], others[method]];
      if (operation === undefined) return [];
      const place = `${method.toUpperCase()} ${path}`;
      if (other === undefined) return [`${place} is gone`];
      return [
        ...compareCalls(place, operation, other),
        ...compareParameters(
          place,
          listParameters(before, operations, operation),
          listParameters(after, others, other),
        ),
        ...compareResponses(place, { before, after }, operation, other),
      ];
    });
  });
}

function compareCalls(place: string, before: Node, after: Node): string[] {
  return ["operationId", "security"]
    .filter((member) => !isEqual(before[member], after[member]))
    .map((member) => `${place}: its ${member} is another one`);
}

function compareParameters(place: string, before: Parameter[], after: Parameter[]): string[] {
  const isSame = (one: Parameter) => (other: Parameter) => one.name === other.name && one.in === other.in;
  const added = after
    .filter((parameter) => parameter.required === true && !before.some(isSame(parameter)))
    .map(({ name }) => `${place}: the new parameter ${name} is required`);
  const changed = before.flatMap((parameter) => {
    const other = after.find(isSame(parameter));
    const where = `${place}: parameter ${parameter.name}`;
    if (other === undefined) return [`${where} is gone`];
    const isNarrower = other.required === true && parameter.required !== true;
    return [
      ...(isNarrower ? [`${where} is required now`] : []),
      ...compareInput(where, parameter.schema, other.schema),
    ];
  });
  return [...added, ...changed];
}

/** What was a good value must stay one. */
function compareInput(place: string, before: Node, after: Node): string[] {
  const values = after["enum"] as unknown[] | undefined;
  const refused = ((before["enum"] ?? []) as unknown[]).filter((value) => values?.includes(value) === false);
  const narrowed = [
    ...LOWER_BOUNDS.filter((name) => Number(after[name] ?? -Infinity) > Number(before[name] ?? -Infinity)),
    ...UPPER_BOUNDS.filter((name) => Number(after[name] ?? Infinity) < Number(before[name] ?? Infinity)),
    ...["type", "pattern", "format"].filter((name) => after[name] !== undefined && after[name] !== before[name]),
    ...(before["enum"] === undefined && values !== undefined ? ["enum"] : []),
  ];
  return [
    ...refused.map((value) => `${place} does not take ${String(value)} any more`),
    ...narrowed.map((name) => `${place} is narrower: ${name}`),
    ...(before["items"] && after["items"] ? compareInput(place, before["items"] as Node, after["items"] as Node) : []),
  ];
}

interface Both {
  before: Description;
  after: Description;
}

function compareResponses(place: string, both: Both, before: Node, after: Node): string[] {
  const others = after["responses"] as Record<string, Node>;
  return Object.entries(before["responses"] as Record<string, Node>).flatMap(([status, given]) => {
    const where = `${place} ${status}`;
    const counterpart = others[status];
    if (counterpart === undefined) return [`${where} is gone`];
    const [response, other] = [resolve(both.before, given), resolve(both.after, counterpart)];
    const headers = Object.keys((response["headers"] ?? {}) as Node).filter(
      (name) => !(name in ((other["headers"] ?? {}) as Node)),
    );
    const contents = (other["content"] ?? {}) as Record<string, { schema?: Node }>;
    const bodies = Object.entries((response["content"] ?? {}) as typeof contents).flatMap(([type, { schema }]) => {
      const content = contents[type];
      if (content === undefined) return [`${where}: ${type} is gone`];
      return schema && content.schema ? compareOutput(where, both, schema, content.schema) : [];
    });
    return [...headers.map((name) => `${where}: the header field ${name} is gone`), ...bodies];
  });
}

/** What programs read must stay there, and be what it was. */
function compareOutput(place: string, both: Both, given: Node, givenAfter: Node): string[] {
  const [before, after] = [resolve(both.before, given), resolve(both.after, givenAfter)];
  const kinds = ["type", "const", "format", "enum"].filter((name) => !isEqual(before[name], after[name]));
  const members = (before["properties"] ?? {}) as Record<string, Node>;
  const others = (after["properties"] ?? {}) as Record<string, Node>;
  const required = (before["required"] ?? []) as string[];
  const requiredAfter = (after["required"] ?? []) as string[];
  return [
    ...kinds.map((name) => `${place}: ${name} is ${format(after[name])}, was ${format(before[name])}`),
    ...required
      .filter((name) => name in others && !requiredAfter.includes(name))
      .map((name) => `${place}.${name} may be missing`),
    // Answers without parameters are fixed: what is new must be asked for.
    ...requiredAfter.filter((name) => !(name in members)).map((name) => `${place}.${name} is new and always there`),
    ...Object.entries(members).flatMap(([name, member]) => {
      const other = others[name];
      return other === undefined
        ? [`${place}.${name} is gone`]
        : compareOutput(`${place}.${name}`, both, member, other);
    }),
    ...(before["items"] && after["items"]
      ? compareOutput(`${place}[]`, both, before["items"] as Node, after["items"] as Node)
      : []),
  ];
}

function listParameters(description: Description, path: Record<string, unknown>, operation: Node): Parameter[] {
  const own = (operation["parameters"] ?? []) as Node[];
  return [...((path["parameters"] ?? []) as Node[]), ...own].map((each) => resolve(description, each) as never);
}

/** What a reference refers to, with what stands beside it. */
function resolve(description: Description, node: Node): Node {
  const { $ref: reference, ...own } = node;
  if (typeof reference !== "string") return node;
  const found = reference
    .slice("#/".length)
    .split("/")
    .reduce<unknown>((at, name) => (at as Node)[name], description) as Node;
  return { ...resolve(description, found), ...own };
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function format(value: unknown): string {
  return value === undefined ? "none" : JSON.stringify(value);
}
