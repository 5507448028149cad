import { Button } from 'react-aria-components';
import { texts } from '../../texts.ts';

interface Props {
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  readonly onOffsetChange: (offset: number) => void;
}

/** Pagination. Renders nothing if all records fit on one page. */
export function Pager({ total, limit, offset, onOffsetChange }: Props) {
  if (total <= limit) return null;
  return (
    <nav className="pager" aria-label={texts.pager.label}>
      <span className="number">{texts.pager.shown({ from: offset + 1, to: Math.min(offset + limit, total), total })}</span>
      <div className="actions">
        <Button className="button compact" isDisabled={offset === 0} onPress={() => onOffsetChange(Math.max(0, offset - limit))}>
          {texts.pager.previous}
        </Button>
        <Button className="button compact" isDisabled={offset + limit >= total} onPress={() => onOffsetChange(offset + limit)}>
          {texts.pager.next}
        </Button>
      </div>
    </nav>
  );
}
