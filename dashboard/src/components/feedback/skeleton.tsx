import { texts } from '../../texts.ts';

export function Skeleton() {
  return (
    <div className="skeleton" role="status" aria-label={texts.loading}>
      <span />
      <span />
      <span />
    </div>
  );
}
