import { Button } from 'react-aria-components';
import { texts } from '../texts.ts';

interface Props {
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  readonly onTurn: (offset: number) => void;
}

/** Turns the pages of a list that is longer than one. */
export function Pager({ total, limit, offset, onTurn }: Props) {
  if (total <= limit) return null;
  return (
    <nav className="pager" aria-label={texts.pager.label}>
      <span className="number">{texts.pager.shown(offset + 1, Math.min(offset + limit, total), total)}</span>
      <div className="actions">
        <Button className="button compact" isDisabled={offset === 0} onPress={() => onTurn(Math.max(0, offset - limit))}>
          {texts.pager.previous}
        </Button>
        <Button className="button compact" isDisabled={offset + limit >= total} onPress={() => onTurn(offset + limit)}>
          {texts.pager.next}
        </Button>
      </div>
    </nav>
  );
}
