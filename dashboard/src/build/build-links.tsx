import { useQuery } from '@tanstack/react-query';
import { api, readJson, type Schemas } from '../api/client.ts';
import { usePermission } from '../api/permissions.ts';
import { templatesQuery } from '../api/records.ts';
import { useAction } from '../api/use-action.ts';
import { CopyButton } from '../components/content/snippet.tsx';
import { Timestamp } from '../components/content/timestamp.tsx';
import { ConfirmButton } from '../components/dialogs/confirm-button.tsx';
import { CreateDialog } from '../components/dialogs/create-dialog.tsx';
import { EmptyState } from '../components/feedback/empty-state.tsx';
import { ProblemNotice } from '../components/feedback/problem-notice.tsx';
import { Field } from '../components/forms/field.tsx';
import type { FormValues } from '../components/forms/form-values.ts';
import { noneOption } from '../components/forms/form-values.ts';
import { Select } from '../components/forms/select.tsx';
import { Toggle } from '../components/forms/toggle.tsx';
import { RecordList } from '../components/tables/record-list.tsx';
import { texts } from '../texts.ts';

const t = texts.buildLinks;
const area = 'build-links';

/** The links that begin a site with one click: made, copied, opened to new clients, deleted. */
export function BuildLinks() {
  const query = useQuery({
    queryKey: [area],
    queryFn: () => readJson(api.GET('/account/build-links')).then(({ build_links }) => build_links),
  });
  const { data: templates = [] } = useQuery(templatesQuery());
  const nameOf = ({ prompt, template_id }: Schemas['BuildLink']) =>
    prompt ?? templates.find(({ id }) => id === template_id)?.name ?? texts.build.template;
  const remove = useAction(area, (id: string) =>
    readJson(api.DELETE('/account/build-links/{buildLinkId}', { params: { path: { buildLinkId: id } } })),
  );
  const canLetJoin = usePermission('manageJoining');
  const letJoin = useAction(area, ({ id, allows_joining }: Pick<Schemas['BuildLink'], 'id' | 'allows_joining'>) =>
    readJson(api.PATCH('/account/build-links/{buildLinkId}', { params: { path: { buildLinkId: id } }, body: { allows_joining } })),
  );
  return (
    <>
      <ProblemNotice error={letJoin.error} />
      <RecordList
        label={t.title}
        titled
        actions={<CreateBuildLink templates={templates} canLetJoin={canLetJoin} />}
        query={query}
        records={(links) => links}
        empty={<EmptyState title={t.empty} text={t.emptyText} />}
        columns={[
          { name: t.link, cell: (link) => <span className="anywhere">{nameOf(link)}</span> },
          {
            name: t.joining,
            cell: ({ id, allows_joining }) => (
              <Toggle
                aria-label={t.mayJoin}
                isSelected={allows_joining}
                isDisabled={!canLetJoin || letJoin.isPending}
                onChange={(allows) => letJoin.mutate({ id, allows_joining: allows })}
              >
                {null}
              </Toggle>
            ),
          },
          { name: t.expires, wide: true, cell: ({ expires_at }) => <Timestamp at={expires_at} /> },
          {
            name: texts.actions.more,
            unnamed: true,
            end: true,
            cell: (link) => (
              <span className="actions end">
                <CopyButton text={link.url} label={t.copy} />
                <ConfirmButton
                  label={texts.actions.delete}
                  title={`${t.remove}: ${nameOf(link).slice(0, 60)}`}
                  text={t.removeText}
                  action={() => remove.mutateAsync(link.id)}
                />
              </span>
            ),
          },
        ]}
      />
    </>
  );
}

interface CreateProps {
  readonly templates: readonly { readonly id: string; readonly name: string }[];
  readonly canLetJoin: boolean;
}

function CreateBuildLink({ templates, canLetJoin }: CreateProps) {
  return (
    <CreateDialog
      label={t.create}
      variant="compact"
      text={t.text}
      area={area}
      create={(values) => readJson(api.POST('/account/build-links', { body: bodyOf(values) }))}
    >
      <Field label={texts.build.prompt} name="prompt" lines="many" placeholder={texts.build.placeholder} maxLength={32_000} />
      <Select
        label={texts.build.template}
        name="template_id"
        options={[{ id: noneOption, label: texts.none }, ...templates.map(({ id, name }) => ({ id, label: name }))]}
        initial={noneOption}
      />
      <Field label={t.days} name="days" defaultValue="30" inputMode="numeric" pattern="[0-9]+" isRequired />
      {canLetJoin ? (
        <Toggle name="allows_joining">
          {t.mayJoin}
          <br />
          <span className="soft small">{t.mayJoinText}</span>
        </Toggle>
      ) : null}
    </CreateDialog>
  );
}

const bodyOf = (values: FormValues) => ({
  prompt: values.optional('prompt'),
  template_id: values.choice('template_id'),
  expires_in_days: values.number('days'),
  allows_joining: values.isOn('allows_joining'),
});
