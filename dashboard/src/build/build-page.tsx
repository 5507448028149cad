import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, Navigate, useSearchParams } from 'react-router';
import { Problem } from '../api/problem.ts';
import { sessionQuery } from '../api/session.ts';
import { AuthLayout } from '../sign-in/auth-layout.tsx';
import { joinsAgency } from '../sign-in/sign-up-page.tsx';
import { texts } from '../texts.ts';
import { StartForm } from './start-form.tsx';
import { type Wanted, wantedQuery } from './wanted.ts';

const t = texts.build;

/** `/build?l=` or `/build?prompt=&template=&model=`: what a link asks for. Nothing is made before the click. */
export function BuildPage() {
  const { data: session } = useSuspenseQuery(sessionQuery);
  const [search] = useSearchParams();
  const { data: wanted, error } = useQuery(wantedQuery(search));
  const link = wanted?.link ?? null;
  const here = new URLSearchParams({ next: `/build?${search}`, ...(link !== null && { [joinsAgency]: '' }) });
  const isHomeless = session !== null && session.organization === null;
  if (isHomeless && wanted !== undefined && link === null) return <Navigate to={`/create-organization?${here}`} replace />;
  return (
    <AuthLayout ignoresBrand={session?.role !== 'client'} agency={link?.agency ?? null} title={t.title} text={t.text}>
      {error === null ? null : (
        <p className="notice bad" role="alert">
          {Problem.of(error).message}
        </p>
      )}
      {wanted === undefined ? null : session === null ? (
        <SignedOut wanted={wanted} next={here} />
      ) : (
        <StartForm session={session} wanted={wanted} />
      )}
    </AuthLayout>
  );
}

function SignedOut({ wanted: { prompt, link }, next }: { wanted: Wanted; next: URLSearchParams }) {
  const isForClients = link !== null && !link.allowsJoining;
  return (
    <>
      {prompt === null ? null : <blockquote className="build-prompt">{prompt}</blockquote>}
      <p className="soft">{isForClients ? t.forClients({ agency: link.agency.name }) : t.signedOut}</p>
      <div className="actions">
        {isForClients ? null : (
          <Link className="button primary" to={`/sign-up?${next}`}>
            {t.signUp}
          </Link>
        )}
        <Link className={isForClients ? 'button primary' : 'button'} to={`/sign-in?${next}`}>
          {t.signIn}
        </Link>
      </div>
    </>
  );
}
