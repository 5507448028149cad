/** What a member may be in an organization, from the most to the least allowed. */
export const roles = ['owner', 'admin', 'developer', 'viewer'] as const;
export type Role = (typeof roles)[number];
