import { HistoryList } from '../../history/history-list.tsx';
import { isEmbedded } from '../credential.ts';

interface Props {
  readonly projectId: string;
  readonly onChanged: () => void;
}

/** The history of the site; an embed session changes the draft alone. */
export const HistoryTab = ({ projectId, onChanged }: Props) => (
  <HistoryList site={{ projectId, area: 'draft' }} canRestore canRollBack={!isEmbedded()} onChanged={onChanged} />
);
