import { useQuery } from '@tanstack/react-query';
import { api, readJson } from '../api/client.ts';
import { usePermission } from '../api/permissions.ts';
import { templatesQuery } from '../api/records.ts';
import { useAction } from '../api/use-action.ts';
import { curl } from '../components/content/curl.ts';
import { Timestamp } from '../components/content/timestamp.tsx';
import { ConfirmButton } from '../components/dialogs/confirm-button.tsx';
import { Badge } from '../components/feedback/badge.tsx';
import { EmptyState } from '../components/feedback/empty-state.tsx';
import { Page } from '../components/layout/page.tsx';
import { RecordList } from '../components/tables/record-list.tsx';
import { CreateProject } from '../projects/create-project.tsx';
import { texts } from '../texts.ts';
import { CreateTemplate } from './create-template.tsx';
import { EditTemplate } from './edit-template.tsx';

const t = texts.templates;
const request = curl('POST', '/templates', { name: 'Neighbourhood bakery', category: 'food' });

export function TemplatesPage() {
  const query = useQuery(templatesQuery());
  const canWrite = usePermission('write');
  const remove = useAction('templates', (templateId: string) =>
    readJson(api.DELETE('/templates/{templateId}', { params: { path: { templateId } } })),
  );
  return (
    <Page title={texts.pages.templates} text={t.text} actions={canWrite ? <CreateTemplate /> : null}>
      <RecordList
        label={texts.pages.templates}
        query={query}
        records={(templates) => templates}
        empty={<EmptyState title={t.empty} text={t.emptyText} request={request} />}
        columns={[
          {
            name: t.name,
            cell: ({ name, description }) => (
              <span className="two-lines">
                <strong>{name}</strong>
                <span>{description}</span>
              </span>
            ),
          },
          { name: t.category, cell: ({ category }) => <Badge>{category}</Badge>, wide: true },
          {
            name: t.visibility,
            wide: true,
            cell: ({ is_public, is_featured }) => (
              <span className="badges">
                <Badge tone={is_public ? 'good' : 'plain'}>{is_public ? t.shared : t.private}</Badge>
                {is_featured ? <Badge tone="warn">{t.featured}</Badge> : null}
              </span>
            ),
          },
          { name: t.created, cell: ({ created_at }) => <Timestamp at={created_at} />, wide: true },
          {
            name: texts.actions.more,
            unnamed: true,
            end: true,
            cell: ({ id, name }) =>
              canWrite ? (
                <span className="actions end">
                  <CreateProject start={id} label={t.use} variant="compact" />
                  <EditTemplate templateId={id} />
                  <ConfirmButton
                    label={t.remove}
                    title={`${t.removeTitle}: ${name}`}
                    text={t.removeText}
                    action={() => remove.mutateAsync(id)}
                  />
                </span>
              ) : null,
          },
        ]}
      />
    </Page>
  );
}
