import { Check, X } from 'lucide-react';
import type { SiteDomain } from '../queries.ts';
import { texts } from '../texts.ts';

const t = texts.domains;

/** The DNS records that a domain needs, and what was found. */
export function DomainRecords({ records }: { records: SiteDomain['dns_records'] }) {
  if (records.length === 0) return null;
  return (
    <>
      <p className="soft small">{t.records}</p>
      <ul className="dns-records">
        {records.map(({ type, name, value, observed, ok }) => (
          <li key={`${type} ${name} ${value}`}>
            {ok ? <Check size={15} aria-label={t.found} /> : <X size={15} aria-label={t.missing} />}
            <code className="anywhere">
              {type} {name} {value}
            </code>
            {ok ? null : (
              <span className="soft small">{observed.length === 0 ? t.nothing : t.observed({ values: observed.join(', ') })}</span>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
