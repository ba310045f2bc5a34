// What an OpenAPI description says, in the shape in which people read it. Pure.

const METHODS = ["get", "post", "put", "patch", "delete"];
const DEEPEST = 6;

export function operationsOf(api) {
  return Object.entries(api.paths).flatMap(([path, methods]) =>
    METHODS.filter((method) => methods[method]).map((method) => {
      const operation = methods[method];
      return {
        key: `${method} ${path}`,
        method: method.toUpperCase(),
        path,
        operation,
        tag: operation.tags?.[0] ?? "other",
        words: `${method} ${path} ${operation.summary ?? ""}`.toLowerCase(),
      };
    }),
  );
}

export function outline(api, schema, depth = 0) {
  const found = resolved(api, schema ?? {});
  if (depth > DEEPEST) return "…";
  if ("const" in found) return JSON.stringify(found.const);
  if (found.enum) return found.enum.map((each) => JSON.stringify(each)).join(" | ");
  const choices = found.anyOf ?? found.oneOf;
  if (choices) return choices.map((each) => outline(api, each, depth)).join(" | ");
  if (found.allOf?.length === 1) return outline(api, found.allOf[0], depth);
  if (found.type === "array") return `[${outline(api, found.items, depth + 1)}, …]`;
  if (found.properties) return object(api, found, depth);
  return [found.format ?? found.type ?? "anything", limits(found)].filter(Boolean).join(" ");
}

function object(api, schema, depth) {
  const indent = "  ".repeat(depth);
  const lines = Object.entries(schema.properties).map(([name, inner]) => {
    const mark = schema.required?.includes(name) ? "" : "?";
    return `${indent}  ${name}${mark}: ${outline(api, inner, depth + 1)}`;
  });
  return `{\n${lines.join("\n")}\n${indent}}`;
}

function limits({ minLength, maxLength, minimum, maximum, maxItems, pattern }) {
  const said = [range(minLength, maxLength, "characters"), range(minimum, maximum, ""), range(undefined, maxItems, "items")];
  return [...said, pattern && `/${pattern}/`].filter(Boolean).join(" ");
}

function range(least, most, unit) {
  if (least === undefined && most === undefined) return "";
  return `(${least ?? 0}–${most ?? "…"}${unit && ` ${unit}`})`;
}

function resolved(api, schema) {
  const name = schema.$ref?.split("/").at(-1);
  return name ? (api.components.schemas[name] ?? {}) : schema;
}
