import { useEffect, useState } from 'react';
import { Button } from 'react-aria-components';
import { texts } from '../texts.ts';
import type { useTurns } from './use-turns.ts';

const t = texts.notices;
const sentences: Readonly<Record<string, string>> = {
  no_credit: t.no_credit,
  daily_messages_reached: t.daily_messages_reached,
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

/** Why a message was not taken, and whether the connection is lost. */
export function Notices({
  turns: { refusal, isLost, dismiss },
}: {
  turns: Pick<ReturnType<typeof useTurns>, 'refusal' | 'isLost' | 'dismiss'>;
}) {
  const isOffline = useIsOffline();
  return (
    <div className="chat-notices">
      {isOffline || isLost ? (
        <p className="notice warn" role="status">
          {isOffline ? t.offline : t.reconnecting}
        </p>
      ) : null}
      {refusal === null ? null : (
        <div className="notice bad" role="alert">
          <span>{sentences[refusal.problem.code ?? ''] ?? refusal.problem.message}</span>
          <Button className="button compact quiet" onPress={dismiss}>
            {t.dismiss}
          </Button>
        </div>
      )}
    </div>
  );
}
