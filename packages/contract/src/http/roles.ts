/** The roles of members, from the most to the fewest rights. */
export const roles = ['owner', 'admin', 'developer', 'viewer'] as const;
export type Role = (typeof roles)[number];

/** True if a member with `role` may do everything that one with `other` may. */
export const includesRole = (role: Role, other: Role): boolean => roles.indexOf(role) <= roles.indexOf(other);

/** The roles of a session: a member's, or `client` for a client's user, which sees its own projects only. */
export const sessionRoles = [...roles, 'client'] as const;
export type SessionRole = (typeof sessionRoles)[number];

/** The roles of operations on a single user's projects, which a client's user may call as well. */
export const clientsToo = {
  read: sessionRoles,
  write: ['owner', 'admin', 'developer', 'client'],
} as const satisfies Record<string, readonly SessionRole[]>;
