import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CheckboxGroup, FieldError, Label } from 'react-aria-components';
import { hasPermission, type Permission } from '../api/permissions.ts';
import { clientsQuery, type Key, projectsQuery } from '../api/records.ts';
import { useSession } from '../api/session.ts';
import { clientName } from '../clients/client-status.tsx';
import { Checkbox } from '../components/forms/checkbox.tsx';
import { Field } from '../components/forms/field.tsx';
import { type FormValues, noneOption } from '../components/forms/form-values.ts';
import { SearchableOptions } from '../components/forms/searchable-options.tsx';
import { Select } from '../components/forms/select.tsx';
import { texts } from '../texts.ts';

const t = texts.keys;

type Area = keyof typeof t.areas;

/** What a member may do who can let a key manage an area. */
const needed = {
  keys: 'manageKeys',
  members: 'manageMembers',
  audit: 'readAudit',
  usage: 'readRequests',
  organization: 'manageOrganization',
  embedding: 'manageEmbedding',
} as const satisfies Record<Area, Permission>;
const areas = Object.keys(needed) as Area[];

/** The fields of a key that can be changed; of a new one without `current`. */
export function KeyFields({ current }: { current?: Key }) {
  const { role } = useSession();
  const [reach, setReach] = useState(current?.client_id ?? current?.project_id ?? noneOption);
  const granted = areas.filter((area) => hasPermission(role, needed[area]) || current?.permissions.includes(area));
  return (
    <>
      <Field label={t.name} name="name" hint={t.nameHint} defaultValue={current?.name ?? ''} maxLength={200} isRequired autoFocus />
      <CheckboxGroup className="field" name="permissions" defaultValue={current?.permissions ?? ['read']} isRequired>
        <Label className="label">{t.permissions}</Label>
        <Checkbox value="read">
          {t.read} <span className="soft">– {t.readHint}</span>
        </Checkbox>
        <Checkbox value="write">
          {t.write} <span className="soft">– {t.writeHint}</span>
        </Checkbox>
        {reach !== noneOption || granted.length === 0 ? null : (
          <>
            <span className="label">{t.manage}</span>
            {granted.map((area) => (
              <Checkbox key={area} value={area}>
                {t.areas[area]} <span className="soft">– {t.areaHints[area]}</span>
              </Checkbox>
            ))}
          </>
        )}
        <FieldError className="field-error">{t.choosePermission}</FieldError>
      </CheckboxGroup>
      {current === undefined ? <Reach value={reach} onChange={setReach} /> : null}
      <Field
        label={t.networks}
        name="allowed_networks"
        hint={t.networksHint}
        placeholder={t.networksExample}
        defaultValue={current?.allowed_networks.join('\n') ?? ''}
        lines="many"
      />
      <Field
        label={t.rateLimit}
        name="rate_limit"
        hint={t.rateLimitHint}
        defaultValue={current?.rate_limit?.toString() ?? ''}
        inputMode="numeric"
        pattern="[0-9]*"
      />
    </>
  );
}

/** One project, the websites of one client, or all, as the field `reach`: see `reachOf`. */
function Reach({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const { data: clients = [] } = useQuery(clientsQuery());
  const { data: { projects } = { projects: [] } } = useQuery(projectsQuery({ limit: 100 }));
  const options = [
    { id: noneOption, label: t.allClients },
    ...clients.map((client) => ({ id: `client_id ${client.id}`, label: clientName(client) })),
    ...projects.map(({ id, name }) => ({ id: `project_id ${id}`, label: t.projectNamed({ name }) })),
  ];
  return <Select label={t.reach} name="reach" hint={t.reachHint} options={options} list={SearchableOptions} {...{ value, onChange }} />;
}

/** The field `reach` as a new key takes it: the id of a client or project by the name of its field. */
export function reachOf(values: FormValues): { client_id?: string; project_id?: string } {
  const [field = '', id] = values.choice('reach')?.split(' ') ?? [];
  return id === undefined ? {} : { [field]: id };
}

export const keyBody = (values: FormValues) => ({
  name: values.text('name'),
  permissions: values.all('permissions') as Key['permissions'],
  allowed_networks: values
    .text('allowed_networks')
    .split(/[\s,]+/)
    .filter(Boolean),
  rate_limit: values.text('rate_limit') === '' ? null : values.number('rate_limit'),
});
