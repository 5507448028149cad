import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Button } from 'react-aria-components';
import { Problem } from '../../api/problem.ts';
import { Badge } from '../../components/feedback/badge.tsx';
import { Skeleton } from '../../components/feedback/skeleton.tsx';
import { Field } from '../../components/forms/field.tsx';
import { domainsQuery, type SiteDomain } from '../queries.ts';
import { request } from '../requests.ts';
import { texts } from '../texts.ts';
import { DomainRecords } from './domain-records.tsx';
import './domains.css';

const t = texts.domains;
const tones = { active: 'good', failed: 'bad', pending: 'warn', verifying: 'warn' } as const;

/** The addresses of the site: added, watched until they work, removed. */
export function Domains({ projectId }: { projectId: string }) {
  const query = useQuery(domainsQuery(projectId));
  return (
    <section className="domains" aria-labelledby="domains-title">
      <h2 id="domains-title">{t.title}</h2>
      <p className="soft">{t.text}</p>
      {query.error === null ? null : <p className="notice bad">{Problem.of(query.error).message}</p>}
      {query.isPending ? <Skeleton /> : null}
      <ul>
        {query.data?.map((domain) => (
          <Domain key={domain.id} projectId={projectId} domain={domain} />
        ))}
      </ul>
      <AddDomain projectId={projectId} />
    </section>
  );
}

function useDomainAction<T>(projectId: string, action: (value: T) => Promise<unknown>, onDone = () => {}) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: action,
    onSuccess: () => {
      onDone();
      return queries.invalidateQueries({ queryKey: domainsQuery(projectId).queryKey });
    },
  });
}

function Domain({ projectId, domain: { id, name, type, status, error, dns_records } }: { projectId: string; domain: SiteDomain }) {
  const path = `/projects/${projectId}/domains/${id}`;
  const verify = useDomainAction(projectId, () => request('POST', `${path}/verify`, {}));
  const remove = useDomainAction(projectId, () => request('DELETE', path));
  const problem = verify.error ?? remove.error;
  // An active domain has an error while its proof is missing.
  const isSettled = status === 'active' && error === null;
  return (
    <li className="domain">
      <div className="domain-head">
        <strong className="anywhere">{name}</strong>
        <Badge tone={tones[status]}>{t.statuses[status]}</Badge>
      </div>
      {error === null ? null : <p className="small">{error}</p>}
      {problem === null ? null : (
        <p className="notice bad" role="alert">
          {Problem.of(problem).message}
        </p>
      )}
      {isSettled ? null : <DomainRecords records={dns_records} />}
      {type === 'subdomain' ? null : (
        <div className="actions">
          {isSettled ? null : (
            <Button className="button compact" isPending={verify.isPending} onPress={() => verify.mutate(undefined)}>
              {t.verify}
            </Button>
          )}
          <Button className="button compact quiet" isPending={remove.isPending} onPress={() => remove.mutate(undefined)}>
            {t.remove}
          </Button>
        </div>
      )}
    </li>
  );
}

function AddDomain({ projectId }: { projectId: string }) {
  const [name, setName] = useState('');
  const add = useDomainAction(
    projectId,
    (domain: string) => request('POST', `/projects/${projectId}/domains`, { domain }),
    () => setName(''),
  );
  function submit(event: FormEvent) {
    event.preventDefault();
    if (name.trim() !== '') add.mutate(name.trim());
  }
  return (
    <form className="add-domain" onSubmit={submit}>
      <Field label={t.name} name="domain" placeholder="www.example.com" value={name} onChange={setName} />
      {add.error === null ? null : (
        <p className="notice bad" role="alert">
          {Problem.of(add.error).message}
        </p>
      )}
      <Button className="button" type="submit" isPending={add.isPending} isDisabled={name.trim() === ''}>
        {t.add}
      </Button>
    </form>
  );
}
