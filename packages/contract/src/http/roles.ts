/** What a member may be in an organization, from the most to the least allowed. */
export const roles = ['owner', 'admin', 'developer', 'viewer'] as const;
export type Role = (typeof roles)[number];

/** What somebody who is signed in may be there: a member, or a client's user, who sees nothing but what is his own. */
export const sessionRoles = [...roles, 'client'] as const;
export type SessionRole = (typeof sessionRoles)[number];

/** Who may where a client's user may, too: for endpoints about one user's own projects, and nothing else of the organization. */
export const clientsToo = {
  read: sessionRoles,
  write: ['owner', 'admin', 'developer', 'client'],
} as const satisfies Record<string, readonly SessionRole[]>;
