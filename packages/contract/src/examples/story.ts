/**
 * The story of all examples: Northlight, an agency in Hamburg, makes and runs the website of Bäckerei Krume. Anna Krume
 * is the client, Jonas Weber builds, and Mira Lindt owns the agency.
 */
const id = (number: number) => `0199a3c4-5e00-7000-8000-${String(number).padStart(12, '0')}`;

export const ids = {
  organization: id(1),
  account: id(2),
  member: id(3),
  client: id(11),
  user: id(12),
  project: id(20),
  revision: id(21),
  previousRevision: id(22),
  deploy: id(23),
  previousDeploy: id(24),
  picture: id(25),
  domain: id(26),
  submission: id(27),
  template: id(30),
  plan: id(31),
  largerPlan: id(32),
  order: id(33),
  subscription: id(34),
  webhook: id(40),
  delivery: id(41),
  event: id(42),
  key: id(50),
  newKey: id(51),
  embedClient: 'emb_0199a3c45e007000800000000000000a',
  embedSession: id(53),
  buildLink: id(54),
  invitation: id(55),
  session: id(56),
  passkey: id(57),
  agent: id(58),
  agentSession: id(158),
  agentQuestion: id(159),
  auditEntry: id(59),
  turn: id(61),
} as const;

/** The moments of the story, ISO 8601 in UTC. */
export const times = {
  founded: '2026-01-12T08:30:00.000Z',
  invited: '2026-03-02T09:00:00.000Z',
  began: '2026-03-02T09:41:07.312Z',
  published: '2026-03-04T16:20:00.000Z',
  visited: '2026-03-04T18:02:11.480Z',
  now: '2026-03-05T10:15:00.000Z',
  later: '2026-04-04T09:41:07.312Z',
} as const;

export const platform = 'https://webkiln.example';
export const siteUrl = 'https://baeckerei-krume.sites.webkiln.example';
