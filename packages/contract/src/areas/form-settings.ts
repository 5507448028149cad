import * as z from 'zod';
import { Email, Flag } from '../fields/fields.ts';
import { defineOperation } from '../http/operation.ts';
import { clientsToo } from '../http/roles.ts';

export const FormSettings = z
  .object({
    notify: Flag.describe('Whether each submission is mailed'),
    notification_email: Email.nullable().describe("Where to; null: to the client's address"),
  })
  .meta({ id: 'FormSettings', description: 'Who is told of what comes in by the forms of a project' });
export type FormSettings = z.infer<typeof FormSettings>;

const tag = 'Forms';

export const getFormSettings = defineOperation({
  method: 'GET',
  path: '/projects/{projectId}/forms/settings',
  tag,
  summary: "Read who is told of what comes in by a project's forms",
  permission: 'read',
  roles: clientsToo.read,
  rpc: 'forms.GetFormSettings',
  output: z.object({ settings: FormSettings }),
  success: 200,
  errors: ['project_not_found'],
});

export const updateFormSettings = defineOperation({
  method: 'PATCH',
  path: '/projects/{projectId}/forms/settings',
  tag,
  summary: "Change who is told of what comes in by a project's forms",
  permission: 'write',
  roles: clientsToo.write,
  rpc: 'forms.UpdateFormSettings',
  input: z.strictObject(FormSettings.shape).partial(),
  output: z.object({ settings: FormSettings }),
  success: 200,
  errors: ['project_not_found'],
});
