import { useQuery } from '@tanstack/react-query';
import { api, readJson } from '../api/client.ts';
import { useAction } from '../api/use-action.ts';
import { ProblemNotice } from '../components/feedback/problem-notice.tsx';
import { Toggle } from '../components/forms/toggle.tsx';
import { Card } from '../components/layout/card.tsx';
import { texts } from '../texts.ts';

const t = texts.portal;
const area = 'report-mails';

/** Where a client ends the monthly report. Nothing is shown where the agency sends none. */
export function ReportMails() {
  const { data } = useQuery({
    queryKey: [area],
    queryFn: () => readJson(api.GET('/account/report-mails')).then(({ report_mails }) => report_mails),
  });
  const change = useAction(area, (enabled: boolean) => readJson(api.PATCH('/account/report-mails', { body: { enabled } })));
  if (!data?.offered) return null;
  return (
    <Card title={t.report} padded>
      <ProblemNotice error={change.error} />
      <Toggle isSelected={change.variables ?? data.enabled} isDisabled={change.isPending} onChange={(enabled) => change.mutate(enabled)}>
        {t.reportText}
      </Toggle>
    </Card>
  );
}
