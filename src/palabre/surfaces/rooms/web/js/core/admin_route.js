// Where in the pages of the administration we are: `#page/id?key=value`.

/** The pages in the order of the menu, and the permission that each asks for. */
export const PAGES = {
  overview: "ops:read",
  personas: "persona:read",
  history: "chat:read",
  media: "chat:read",
  analytics: "ops:read",
  errors: "ops:read",
  audit: "session:manage",
  users: "session:manage",
};

const FIRST = "overview";

/** The {page, id, query} of a location's hash; an unknown page is the first. */
export function routeOf(hash) {
  const [path, search = ""] = hash.replace(/^#/, "").split(/\?(.*)/s);
  const [page, ...rest] = path.split("/");
  if (!Object.hasOwn(PAGES, page)) return { page: FIRST, id: "", query: {} };
  return { page, id: decoded(rest.join("/")), query: Object.fromEntries(new URLSearchParams(search)) };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The hash of a place; what `query` leaves empty is not written. */
export function hashOf(page, id = "", query = {}) {
  const said = Object.entries(query).filter(([, value]) => value !== "" && value !== undefined);
  const search = new URLSearchParams(said).toString();
  const path = id === "" ? page : `${page}/${encodeURIComponent(id)}`;
  return `#${path}${search && `?${search}`}`;
}
