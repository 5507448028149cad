import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../api/may.ts';
import { type Key, keysQuery } from '../api/records.ts';
import { Badge } from '../components/badge.tsx';
import { Empty } from '../components/empty.tsx';
import { Moment } from '../components/moment.tsx';
import { Page } from '../components/page.tsx';
import { RecordList } from '../components/record-list.tsx';
import { SecretWindow } from '../components/secret-window.tsx';
import { Snippet } from '../components/snippet.tsx';
import { Toggle } from '../components/toggle.tsx';
import { texts } from '../texts.ts';
import { CreateKey } from './create-key.tsx';
import { RevokeKey } from './revoke-key.tsx';
import { RotateKey } from './rotate-key.tsx';

const own = texts.keys;
const isOver = ({ revoked_at, expires_at }: Key) => revoked_at !== null || (expires_at !== null && Date.parse(expires_at) <= Date.now());
const firstRequest = (secret: string) => `curl ${location.origin}/api/v1/projects \\\n  -H 'Authorization: Bearer ${secret}'`;

export function KeysPage() {
  const query = useQuery(keysQuery());
  const mayManage = useMay('manageKeys');
  const [secret, setSecret] = useState<string>();
  const [showsAll, setShowsAll] = useState(false);
  return (
    <Page title={own.title} text={own.text} actions={mayManage ? <CreateKey onCreated={setSecret} /> : null}>
      <Toggle isSelected={showsAll} onChange={setShowsAll}>
        {own.showRevoked}
      </Toggle>
      <RecordList
        label={own.title}
        query={query}
        records={(keys) => keys.filter((key) => showsAll || !isOver(key))}
        empty={<Empty title={own.empty} text={own.emptyText} />}
        columns={[
          {
            name: own.name,
            cell: ({ name, prefix }) => (
              <span className="two-lines">
                <strong>{name}</strong>
                <code>{prefix}…</code>
              </span>
            ),
          },
          { name: own.status, cell: (key) => <KeyStatus {...key} /> },
          {
            name: own.permissions,
            wide: true,
            cell: ({ permissions }) => (
              <span className="badges">
                {permissions.map((permission) => (
                  <Badge key={permission}>{own[permission]}</Badge>
                ))}
              </span>
            ),
          },
          { name: own.lastUsed, cell: ({ last_used_at }) => <Moment at={last_used_at} />, wide: true },
          { name: own.expiry, cell: ({ expires_at }) => <Moment at={expires_at} />, wide: true },
          {
            name: texts.actions.more,
            unnamed: true,
            end: true,
            cell: (key) =>
              isOver(key) || !mayManage ? null : (
                <span className="actions end">
                  <RotateKey keyId={key.id} onRotated={setSecret} />
                  <RevokeKey keyId={key.id} name={key.name} />
                </span>
              ),
          },
        ]}
      />
      <SecretWindow title={own.secretTitle} text={own.secretText} label={own.key} secret={secret} onClose={() => setSecret(undefined)}>
        <p className="label">{own.tryIt}</p>
        <Snippet text={firstRequest(secret ?? '')} />
      </SecretWindow>
    </Page>
  );
}

function KeyStatus(key: Key) {
  if (key.revoked_at !== null) return <Badge tone="bad">{own.revoked}</Badge>;
  return isOver(key) ? <Badge>{own.expired}</Badge> : <Badge tone="good">{own.active}</Badge>;
}
