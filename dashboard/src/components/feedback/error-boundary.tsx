import { Component, type ReactNode } from 'react';
import { Button } from 'react-aria-components';
import { isMissing, isSuspension } from '../../api/problem.ts';
import { texts } from '../../texts.ts';
import { ProblemNotice } from './problem-notice.tsx';

interface Props {
  /** Shown if what a page is about does not exist. The builder says so itself, and loads no router for a link. */
  readonly missing?: ReactNode;
  readonly children: ReactNode;
}

interface State {
  readonly error?: unknown;
}

/** Replaces content that failed to render or to load, does not exist, or is of a suspended organization. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = {};

  static getDerivedStateFromError(error: unknown): State {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    if (this.props.missing !== undefined && isMissing(error)) return this.props.missing;
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
