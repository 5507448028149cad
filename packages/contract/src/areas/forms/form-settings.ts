import * as z from 'zod';
import { Email, Flag } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';
import { clientsToo } from '../../http/roles.ts';

export const FormSettings = z
  .object({
    notify: Flag.describe('True if each submission is mailed'),
    notification_email: Email.nullable().describe(
      "The recipient; null for the client's address. Another address than the client's or a verified member's gets one mail with a link, and no other before that confirms it",
    ),
    notification_status: z
      .enum(['confirmed', 'unconfirmed', 'unsubscribed'])
      .meta({ id: 'NotificationStatus', description: 'Whether a recipient receives mails: it has agreed, has not yet, or has ended them' })
      .nullable()
      .describe('Whether the recipient receives mails; null if there is none. Submissions are stored in any case'),
  })
  .meta({ id: 'FormSettings', description: 'Who is notified of new submissions of a project' });
export type FormSettings = z.infer<typeof FormSettings>;

const tag = 'Forms';

export const getFormSettings = defineOperation({
  method: 'GET',
  path: '/projects/{projectId}/forms/settings',
  tag,
  summary: "Read who is notified of a project's new submissions",
  description: 'One recipient for all forms of the project.',
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
  summary: "Change who is notified of a project's new submissions",
  description:
    "A new address other than the client's own or a verified member's is `unconfirmed` until the person there follows the link in a mail.",
  permission: 'write',
  roles: clientsToo.write,
  rpc: 'forms.UpdateFormSettings',
  input: z.strictObject(FormSettings.omit({ notification_status: true }).shape).partial(),
  output: z.object({ settings: FormSettings }),
  success: 200,
  errors: ['project_not_found'],
});

export const resendFormConfirmation = defineOperation({
  method: 'POST',
  path: '/projects/{projectId}/forms/settings/confirmation',
  tag,
  summary: 'Send the link again by which the notification address is confirmed',
  description: 'For an address that is still `unconfirmed`. The mail counts on the mails that the organization may cause in a day.',
  permission: 'write',
  roles: clientsToo.write,
  rpc: 'forms.ResendFormConfirmation',
  input: z.strictObject({}),
  output: z.object({ settings: FormSettings }),
  success: 200,
  errors: ['project_not_found', 'confirmation_not_pending', 'quota_exceeded'],
});
