import { useEffect, useState } from 'react';
import { texts } from '../texts.ts';
import { filesOf, type TurnMessage } from './turn-message.ts';

const secondMs = 1000;

/** What is being done, and for how long. The seconds are not announced: they would interrupt each other. */
export function Working({ message }: { message: TurnMessage | undefined }) {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const since = Date.now();
    const timer = setInterval(() => setSeconds(Math.floor((Date.now() - since) / secondMs)), secondMs);
    return () => clearInterval(timer);
  }, []);
  const file = message?.role === 'assistant' ? filesOf(message).at(-1) : undefined;
  return (
    <div className="working">
      <span className="working-mark" aria-hidden />
      <span role="status">{file === undefined ? texts.chat.thinking : texts.chat.writing({ path: file.path })}</span>
      <span className="soft number" aria-hidden>
        {texts.chat.seconds({ seconds })}
      </span>
    </div>
  );
}
