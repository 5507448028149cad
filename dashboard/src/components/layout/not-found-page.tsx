import { Link } from 'react-router';
import { texts } from '../../texts.ts';
import { EmptyState } from '../feedback/empty-state.tsx';
import { Page } from './page.tsx';

export function NotFoundPage() {
  return (
    <Page title={texts.problem.notFound}>
      <section className="card">
        <EmptyState title={texts.problem.notFound} text={texts.problem.notFoundText}>
          <Link className="button" to="/">
            {texts.problem.home}
          </Link>
        </EmptyState>
      </section>
    </Page>
  );
}
