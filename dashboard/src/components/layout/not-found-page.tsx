import { Link } from 'react-router';
import { texts } from '../texts.ts';
import { Empty } from './empty.tsx';
import { Page } from './page.tsx';

export function NotFoundPage() {
  return (
    <Page title={texts.problem.notFound}>
      <section className="card">
        <Empty title={texts.problem.notFound} text={texts.problem.notFoundText}>
          <Link className="button" to="/">
            {texts.problem.home}
          </Link>
        </Empty>
      </section>
    </Page>
  );
}
