import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, readJson } from '../api/client.ts';
import { canManageKey, usePermission } from '../api/permissions.ts';
import { clientsQuery, type Key, keysQuery, projectsQuery } from '../api/records.ts';
import { useSession } from '../api/session.ts';
import { useAction } from '../api/use-action.ts';
import { clientName } from '../clients/client-status.tsx';
import { Snippet } from '../components/content/snippet.tsx';
import { Timestamp } from '../components/content/timestamp.tsx';
import { ConfirmButton } from '../components/dialogs/confirm-button.tsx';
import { CreateDialog } from '../components/dialogs/create-dialog.tsx';
import { SecretModal } from '../components/dialogs/secret-modal.tsx';
import { Badge } from '../components/feedback/badge.tsx';
import { EmptyState } from '../components/feedback/empty-state.tsx';
import { Toggle } from '../components/forms/toggle.tsx';
import { Page } from '../components/layout/page.tsx';
import { RecordList } from '../components/tables/record-list.tsx';
import { texts } from '../texts.ts';
import { CreateKey } from './create-key.tsx';
import { KeyFields, keyBody } from './key-fields.tsx';
import { RotateKey } from './rotate-key.tsx';

/** Changes a key; its text stays the same. */
function EditKey({ current }: { current: Key }) {
  return (
    <CreateDialog
      label={texts.actions.edit}
      variant="compact quiet"
      text={texts.keys.editText}
      submit={texts.actions.save}
      area="keys"
      create={(values) => readJson(api.PATCH('/account/keys/{keyId}', { params: { path: { keyId: current.id } }, body: keyBody(values) }))}
    >
      <KeyFields current={current} />
    </CreateDialog>
  );
}

const t = texts.keys;
const isInactive = ({ revoked_at, expires_at }: Key) =>
  revoked_at !== null || (expires_at !== null && Date.parse(expires_at) <= Date.now());
/** Time to put another key in its place. */
const soonMs = 14 * 86_400_000;
const expiresSoon = ({ expires_at }: Key) => expires_at !== null && Date.parse(expires_at) - Date.now() < soonMs;
const labelOf = (permission: Key['permissions'][number]) =>
  permission === 'read' || permission === 'write' ? t[permission] : t.areas[permission];
const firstRequest = (secret: string) => `curl ${location.origin}/api/v1/projects \\\n  -H 'Authorization: Bearer ${secret}'`;

export function KeysPage() {
  const query = useQuery(keysQuery());
  const canManage = usePermission('manageKeys');
  const { role } = useSession();
  const isAnyRestricted = query.data?.some(({ client_id }) => client_id !== null) ?? false;
  const { data: clients = [] } = useQuery({ ...clientsQuery(), enabled: isAnyRestricted });
  const nameOfClient = (id: string) => {
    const client = clients.find((each) => each.id === id);
    return client === undefined ? t.oneClient : clientName(client);
  };
  const isAnyLimited = query.data?.some(({ project_id }) => project_id !== null) ?? false;
  const { data: { projects } = { projects: [] } } = useQuery({ ...projectsQuery({ limit: 100 }), enabled: isAnyLimited });
  const nameOfProject = (id: string) => projects.find((each) => each.id === id)?.name ?? t.oneProject;
  const [secret, setSecret] = useState<string>();
  const [showsAll, setShowsAll] = useState(false);
  return (
    <Page title={texts.pages.keys} text={t.text} actions={canManage ? <CreateKey onCreated={setSecret} /> : null}>
      <Toggle isSelected={showsAll} onChange={setShowsAll}>
        {t.showRevoked}
      </Toggle>
      <RecordList
        label={texts.pages.keys}
        query={query}
        records={(keys) => keys.filter((key) => showsAll || !isInactive(key))}
        empty={<EmptyState title={t.empty} text={t.emptyText} />}
        columns={[
          {
            name: t.name,
            cell: ({ name, prefix }) => (
              <span className="two-lines">
                <strong>{name}</strong>
                <code>{prefix}…</code>
              </span>
            ),
          },
          { name: t.status, cell: (key) => <KeyStatus {...key} /> },
          {
            name: t.permissions,
            wide: true,
            cell: ({ permissions, client_id, project_id, allowed_networks: networks, rate_limit }) => (
              <span className="badges">
                {permissions.map((permission) => (
                  <Badge key={permission}>{labelOf(permission)}</Badge>
                ))}
                {client_id === null ? null : <Badge>{nameOfClient(client_id)}</Badge>}
                {project_id === null ? null : <Badge>{nameOfProject(project_id)}</Badge>}
                {networks.length === 0 ? null : <Badge>{t.fewNetworks({ count: networks.length })}</Badge>}
                {rate_limit === null ? null : <Badge>{t.slower({ limit: rate_limit })}</Badge>}
              </span>
            ),
          },
          { name: t.lastUsed, cell: ({ last_used_at }) => <Timestamp at={last_used_at} />, wide: true },
          { name: t.expiry, cell: ({ expires_at }) => <Timestamp at={expires_at} />, wide: true },
          {
            name: texts.actions.more,
            unnamed: true,
            end: true,
            cell: (key) =>
              isInactive(key) || !canManage || !canManageKey(role, key) ? null : (
                <span className="actions end">
                  <EditKey current={key} />
                  <RotateKey keyId={key.id} onRotated={setSecret} />
                  <RevokeKey keyId={key.id} name={key.name} />
                </span>
              ),
          },
        ]}
      />
      <SecretModal title={t.secretTitle} text={t.secretText} label={t.key} secret={secret} onClose={() => setSecret(undefined)}>
        <p className="label">{t.tryIt}</p>
        <Snippet text={firstRequest(secret ?? '')} />
      </SecretModal>
    </Page>
  );
}

function KeyStatus(key: Key) {
  if (key.revoked_at !== null) return <Badge tone="bad">{t.revoked}</Badge>;
  if (isInactive(key)) return <Badge>{t.expired}</Badge>;
  return expiresSoon(key) ? <Badge tone="warn">{t.expiresSoon}</Badge> : <Badge tone="good">{t.active}</Badge>;
}

function RevokeKey({ keyId, name }: { keyId: string; name: string }) {
  const revoke = useAction('keys', () => readJson(api.DELETE('/account/keys/{keyId}', { params: { path: { keyId } } })));
  return <ConfirmButton label={t.revoke} title={`${t.revokeTitle}: ${name}`} text={t.revokeText} action={() => revoke.mutateAsync()} />;
}
