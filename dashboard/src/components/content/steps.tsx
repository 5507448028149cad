import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { texts } from '../../texts.ts';
import './steps.css';

interface Step {
  readonly title: string;
  readonly text: string;
  /** Where an open step is done. */
  readonly to?: string;
  /** In place of that, the buttons that do an open step. */
  readonly action?: ReactNode;
  readonly isDone: boolean;
}

/** A checklist. Steps that are not done lead to where they are, or have their buttons. */
export function Steps({ steps }: { steps: readonly Step[] }) {
  return (
    <ol className="steps">
      {steps.map(({ title, text, to, action, isDone }) => (
        <li key={title} className={isDone ? 'done' : undefined}>
          <span className="step-mark">
            {isDone ? <Check size={13} strokeWidth={3} aria-hidden /> : null}
            {isDone ? <span className="visually-hidden">{texts.overview.steps.done}: </span> : null}
          </span>
          <span className="two-lines">
            {isDone || to === undefined ? (
              <span>{title}</span>
            ) : (
              <Link className="row-link" to={to}>
                {title}
              </Link>
            )}
            <span>{text}</span>
          </span>
          {isDone || action === undefined ? null : <span className="step-action">{action}</span>}
        </li>
      ))}
    </ol>
  );
}
