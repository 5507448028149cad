import { useEffect, useState } from 'react';
import { Button } from 'react-aria-components';
import type { Problem } from '../../api/problem.ts';
import { isPassing } from '../requests.ts';
import { texts } from '../texts.ts';
import type { Refusal, useTurns } from './use-turns.ts';

const t = texts.notices;
const sentences: Readonly<Record<string, string>> = {
  no_credit: t.no_credit,
  turn_running: t.turn_running,
};

function useIsOffline(): boolean {
  const [isOffline, setOffline] = useState(!navigator.onLine);
  useEffect(() => {
    const update = () => setOffline(!navigator.onLine);
    addEventListener('online', update);
    addEventListener('offline', update);
    return () => {
      removeEventListener('online', update);
      removeEventListener('offline', update);
    };
  }, []);
  return isOffline;
}

const unreadSentence = (problem: Problem) => (problem.status === 0 ? t.reconnecting : isPassing(problem) ? t.unread : problem.message);
const refusalSentence = ({ problem }: Refusal) => (isPassing(problem) ? t.notTaken : (sentences[problem.code ?? ''] ?? problem.message));

/** Why a message was not taken, and why the conversation may not be as it is shown. */
export function Notices({
  turns: { refusal, unread, readAgain, dismiss },
}: {
  turns: Pick<ReturnType<typeof useTurns>, 'refusal' | 'unread' | 'readAgain' | 'dismiss'>;
}) {
  const isOffline = useIsOffline();
  return (
    <div className="chat-notices">
      {isOffline ? (
        <p className="notice warn" role="status">
          {t.offline}
        </p>
      ) : unread === null ? null : (
        <div className="notice warn" role="status">
          <span>{unreadSentence(unread)}</span>
          <Button className="button compact quiet" onPress={readAgain}>
            {texts.actions.retry}
          </Button>
        </div>
      )}
      {refusal === null ? null : (
        <div className="notice bad" role="alert">
          <span>{refusalSentence(refusal)}</span>
          <Button className="button compact quiet" onPress={dismiss}>
            {t.dismiss}
          </Button>
        </div>
      )}
    </div>
  );
}
