import { Component, type ReactNode } from 'react';
import { Button } from 'react-aria-components';
import { isMissing, isSuspension } from '../../api/problem.ts';
import { texts } from '../../texts.ts';
import { NotFoundPage } from '../layout/not-found-page.tsx';
import { ProblemNotice } from './problem-notice.tsx';

interface State {
  readonly error?: unknown;
}

/** Replaces content that failed to render or to load, does not exist, or is of a suspended organization. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, State> {
  override state: State = {};

  static getDerivedStateFromError(error: unknown): State {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    if (isMissing(error)) return <NotFoundPage />;
    const isSuspended = isSuspension(error);
    return (
      <div className="page">
        <section className="card empty">
          <div>
            <h1>{isSuspended ? texts.problem.suspended : texts.problem.crashed}</h1>
            <p>{isSuspended ? texts.problem.suspendedText : texts.problem.crashedText}</p>
          </div>
          {isSuspended ? null : <ProblemNotice error={error} />}
          <Button className="button primary" onPress={() => location.reload()}>
            {texts.actions.reload}
          </Button>
        </section>
      </div>
    );
  }
}
