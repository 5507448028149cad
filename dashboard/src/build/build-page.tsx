import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, Navigate, useSearchParams } from 'react-router';
import { Problem } from '../api/problem.ts';
import { sessionQuery } from '../api/session.ts';
import { AuthLayout } from '../sign-in/auth-layout.tsx';
import { joinsAgency } from '../sign-in/sign-up-page.tsx';
import { texts } from '../texts.ts';
import { StartForm } from './start-form.tsx';
import { wantedQuery } from './wanted.ts';

const t = texts.build;

/** `/build?l=` or `/build?prompt=&template=&model=&org=`: what a link asks for. Nothing is made before the click. */
export function BuildPage() {
  const { data: session } = useSuspenseQuery(sessionQuery);
  const [search] = useSearchParams();
  const { data: wanted, error } = useQuery(wantedQuery(search));
  const agency = wanted?.agency ?? null;
  const here = new URLSearchParams({ next: `/build?${search}`, ...(agency !== null && { [joinsAgency]: agency.slug }) });
  const isHomeless = session !== null && session.organization === null;
  if (isHomeless && wanted !== undefined && agency === null) return <Navigate to={`/create-organization?${here}`} replace />;
  return (
    <AuthLayout ignoresBrand={session?.role !== 'client'} agency={agency} title={t.title} text={t.text}>
      {error === null ? null : (
        <p className="notice bad" role="alert">
          {Problem.of(error).message}
        </p>
      )}
      {wanted === undefined ? null : session === null ? (
        <SignedOut prompt={wanted.prompt} next={here} />
      ) : (
        <StartForm session={session} wanted={wanted} />
      )}
    </AuthLayout>
  );
}

function SignedOut({ prompt, next }: { prompt: string | null; next: URLSearchParams }) {
  return (
    <>
      {prompt === null ? null : <blockquote className="build-prompt">{prompt}</blockquote>}
      <p className="soft">{t.signedOut}</p>
      <div className="actions">
        <Link className="button primary" to={`/sign-up?${next}`}>
          {t.signUp}
        </Link>
        <Link className="button" to={`/sign-in?${next}`}>
          {t.signIn}
        </Link>
      </div>
    </>
  );
}
