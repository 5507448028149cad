import { useEffect, useState } from 'react';
import { texts } from '../../texts.ts';
import { ProblemNotice } from './problem-notice.tsx';

const slowMs = 3000;

interface Props {
  /** Why the latest try failed; another one follows. */
  readonly failure?: unknown;
  /** What is said of a failure. */
  readonly text?: string;
}

/** Stands for what loads. If that takes longer than 3 seconds or fails for now, it says so. */
export function Skeleton({ failure = null, text = texts.problem.retrying }: Props) {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), slowMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="skeleton" role="status" aria-label={texts.loading}>
      <span />
      <span />
      <span />
      {failure === null && isSlow ? <p className="soft small">{texts.problem.slow}</p> : null}
      <ProblemNotice error={failure} text={text} />
    </div>
  );
}
