// What each role may do: the matrix of the server, which decides; here it says what is offered.

const EVERYBODY = ["chat:read", "persona:read", "node_engine:read", "ops:read"];

export const PERMISSIONS = {
  viewer: EVERYBODY,
  operator: [...EVERYBODY, "chat:write", "node_engine:operate"],
  editor: [...EVERYBODY, "chat:write", "persona:write"],
  admin: [...EVERYBODY, "chat:write", "node_engine:operate", "persona:write", "session:manage"],
};

export const ROLES = Object.keys(PERMISSIONS);

/** Whether who has `session` (null: nobody) may do that. */
export const may = (session, permission) =>
  Object.hasOwn(PERMISSIONS, session?.role ?? "") && PERMISSIONS[session.role].includes(permission);
