import { Component, type ReactNode } from 'react';
import { Button } from 'react-aria-components';
import { texts } from '../../texts.ts';
import { ProblemNotice } from './problem-notice.tsx';

interface State {
  readonly error?: unknown;
}

/** Replaces content that failed to render or whose code failed to load. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, State> {
  override state: State = {};

  static getDerivedStateFromError(error: unknown): State {
    return { error };
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    return (
      <div className="page">
        <section className="card empty">
          <div>
            <h1>{texts.problem.crashed}</h1>
            <p>{texts.problem.crashedText}</p>
          </div>
          <ProblemNotice error={this.state.error} />
          <Button className="button primary" onPress={() => location.reload()}>
            {texts.actions.reload}
          </Button>
        </section>
      </div>
    );
  }
}
