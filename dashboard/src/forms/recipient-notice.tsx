import { useQuery } from '@tanstack/react-query';
import { Button } from 'react-aria-components';
import { api, readJson } from '../api/client.ts';
import { useAction } from '../api/use-action.ts';
import { ProblemNotice } from '../components/feedback/problem-notice.tsx';
import { texts } from '../texts.ts';
import { formSettingsQuery } from './form-queries.ts';

const t = texts.forms;

/** Says why the notification address gets no mails, and sends the link again by which its owner agrees. */
export function RecipientNotice({ projectId, canChange }: { projectId: string; canChange: boolean }) {
  const settings = useQuery(formSettingsQuery(projectId)).data?.body.settings;
  const resend = useAction('forms', (_to: string) =>
    readJson(api.POST('/projects/{projectId}/forms/settings/confirmation', { params: { path: { projectId } }, body: {} })),
  );
  const { notification_email: address, notification_status: status } = settings ?? {};
  if (!settings?.notify || !status || status === 'confirmed') return null;
  const isSent = resend.isSuccess && resend.variables === address;
  return (
    <>
      <div className="notice warn" role="status">
        {textOf(status, address)}
        {isSent ? <strong>{t.linkSent}</strong> : null}
      </div>
      <ProblemNotice error={resend.error} />
      {status === 'unconfirmed' && address && canChange && !isSent ? (
        <div className="actions">
          <Button className="button" onPress={() => resend.mutate(address)} isPending={resend.isPending}>
            {t.resendLink}
          </Button>
        </div>
      ) : null}
    </>
  );
}

function textOf(status: string, address: string | null | undefined): string {
  if (status !== 'unsubscribed') return t.unconfirmed({ address: address ?? '' });
  return address ? t.unsubscribed({ address }) : t.unsubscribedClient;
}
