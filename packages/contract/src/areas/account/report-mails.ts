import * as z from 'zod';
import { Flag } from '../../fields/fields.ts';
import { defineOperation } from '../../http/operation.ts';

export const ReportMails = z
  .object({
    enabled: z.boolean().describe('False once the client has ended it, here or by the link in a report'),
    offered: z.boolean().describe('False while the organization sends no reports'),
  })
  .meta({ id: 'ReportMails', description: 'Whether a client gets the monthly report of its sites' });
export type ReportMails = z.infer<typeof ReportMails>;

const own = { tag: 'Account', credential: 'session', roles: ['client'], path: '/account/report-mails', success: 200, etag: false } as const;
const output = z.object({ report_mails: ReportMails });

export const getReportMails = defineOperation({
  ...own,
  method: 'GET',
  summary: 'Whether the own client gets a monthly report by mail',
  description: 'For a signed-in user of a client. Reports are offered while the organization has `client_reports`.',
  permission: 'read',
  rpc: 'accounts.GetReportMails',
  output,
  errors: [],
});

export const updateReportMails = defineOperation({
  ...own,
  method: 'PATCH',
  summary: 'End the monthly report, or get it again',
  description: 'For a signed-in user of a client. Whether there are reports at all is for the organization to decide.',
  permission: 'write',
  rpc: 'accounts.UpdateReportMails',
  input: z.strictObject({ enabled: Flag.describe('False: no more reports; true: reports again') }),
  output,
  errors: [],
});
