import * as z from 'zod';
import { Name, Uuid } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';
import { Project } from '../projects.ts';

export const startBuild = defineOperation({
  method: 'POST',
  path: '/account/build',
  tag: 'Building',
  summary: "Create a project to build a site of one's own",
  description:
    "What the page `/build` does at the click. The project is empty or a copy of a template. A member's has no client; that of a client's user is the client's, within its plan, and the template must be public.",
  permission: 'write',
  credential: 'session',
  roles: ['owner', 'admin', 'developer', 'client'],
  rpc: 'projects.StartBuild',
  input: z.strictObject({
    name: Name.describe('What the project is called, 1 to 200 characters'),
    template_id: Uuid.nullish().describe('A template whose files become the draft; left out or null: the project is empty'),
  }),
  output: z.object({ project: Project, builder_url: z.url().describe('Where the person goes on building it') }),
  success: 201,
  errors: ['template_not_found', 'client_paused', 'plan_limit_reached'],
});

export const joinOrganization = defineOperation({
  method: 'POST',
  path: '/account/join',
  tag: 'Building',
  summary: 'Become a client of an agency, to build a site there',
  description:
    'What the page `/build` does before a build by a link of an agency that has `allows_joining`. The client is active, has the default plan of the organization; `GET /clients/{clientId}/joining` says which link it came by. Members and clients of the organization, invited ones included, are let in by any of its links and stay what they are. The session stays where it is: go on with `POST /account/session/organization`.',
  permission: 'write',
  credential: 'session',
  roles: 'anyone',
  rpc: 'embed.JoinOrganization',
  input: z.strictObject({ build_link_id: Uuid.describe('The live build link that was opened, as its address has it in `l`') }),
  output: z.object({
    organization_id: Uuid.describe('The organization that the person belongs to now: go on there with POST /account/session/organization'),
  }),
  success: 200,
  etag: false,
  errors: ['joining_not_allowed', 'default_plan_missing', 'organization_suspended', 'client_paused', 'quota_exceeded'],
});
