import * as z from 'zod';
import { Name, Uuid } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';
import { Project } from '../projects.ts';

export const startBuild = defineOperation({
  method: 'POST',
  path: '/account/build',
  tag: 'Building',
  summary: "Create a project without a client, to build a site of one's own",
  description: 'What the page `/build` does at the click. The project belongs to the organization, empty or as a copy of a template.',
  permission: 'write',
  credential: 'session',
  roles: ['owner', 'admin', 'developer'],
  rpc: 'projects.StartBuild',
  input: z.strictObject({ name: Name, template_id: Uuid.nullish() }),
  output: z.object({ project: Project, builder_url: z.url() }),
  success: 201,
  errors: ['template_not_found'],
});
