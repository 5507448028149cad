import { useQuery } from '@tanstack/react-query';
import { answer, api } from '../api/client.ts';
import { useMay } from '../api/may.ts';
import { templatesQuery } from '../api/records.ts';
import { Badge } from '../components/badge.tsx';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { curl } from '../components/curl.ts';
import { Empty } from '../components/empty.tsx';
import { Moment } from '../components/moment.tsx';
import { Page } from '../components/page.tsx';
import { RecordList } from '../components/record-list.tsx';
import { useAct } from '../components/use-act.ts';
import { CreateProject } from '../projects/create-project.tsx';
import { texts } from '../texts.ts';
import { CreateTemplate } from './create-template.tsx';
import { EditTemplate } from './edit-template.tsx';

const own = texts.templates;
const request = curl('POST', '/templates', { name: 'Neighbourhood bakery', category: 'food' });

export function TemplatesPage() {
  const query = useQuery(templatesQuery());
  const mayWrite = useMay('write');
  const remove = useAct('templates', (templateId: string) =>
    answer(api.DELETE('/templates/{templateId}', { params: { path: { templateId } } })),
  );
  return (
    <Page title={own.title} text={own.text} actions={mayWrite ? <CreateTemplate /> : null}>
      <RecordList
        label={own.title}
        query={query}
        records={(templates) => templates}
        empty={<Empty title={own.empty} text={own.emptyText} request={request} />}
        columns={[
          {
            name: own.name,
            cell: ({ name, description }) => (
              <span className="two-lines">
                <strong>{name}</strong>
                <span>{description}</span>
              </span>
            ),
          },
          { name: own.category, cell: ({ category }) => <Badge>{category}</Badge>, wide: true },
          {
            name: own.visibility,
            wide: true,
            cell: ({ is_public, is_featured }) => (
              <span className="badges">
                <Badge tone={is_public ? 'good' : 'plain'}>{is_public ? own.shared : own.private}</Badge>
                {is_featured ? <Badge tone="warn">{own.featured}</Badge> : null}
              </span>
            ),
          },
          { name: own.created, cell: ({ created_at }) => <Moment at={created_at} />, wide: true },
          {
            name: texts.actions.more,
            unnamed: true,
            end: true,
            cell: ({ id, name }) =>
              mayWrite ? (
                <span className="actions end">
                  <CreateProject templateId={id} label={own.use} look="compact" />
                  <EditTemplate templateId={id} />
                  <ConfirmButton
                    label={own.remove}
                    title={`${own.removeTitle}: ${name}`}
                    text={own.removeText}
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
