import { useCallback, useEffect, useRef, useState } from 'react';
import { Problem } from '../../api/problem.ts';
import { retryDelayMs } from '../requests.ts';
import { type Conversation, readConversation } from './turn-message.ts';

const readAgainMs = 500;

interface Options {
  readonly projectId: string;
  /** A turn was running when the conversation was read first. */
  readonly isRunning: boolean;
  readonly onRead: (conversation: Conversation) => void;
  /** Shows the stream of the running turn, to its end. Throws a `Problem` if there is none to be had. */
  readonly resume: () => Promise<void>;
}

/** Reads what is stored, and the stream of the turn that runs, until none runs. Failures are tried again. */
export function useFollowing({ projectId, isRunning, onRead, resume }: Options) {
  const [unread, setUnread] = useState<Problem | null>(null);
  const latest = useRef(0);
  const readAgain = useRef(() => {});

  /** Ends what follows the conversation until now: something else does, or nothing may be shown. */
  const leave = useCallback(() => ++latest.current, []);

  /** What is stored is the truth: it is read at the end of each stream, however it ended. */
  const follow = useCallback(
    async (hasStream: boolean) => {
      const own = leave();
      const isLeft = () => own !== latest.current;
      const pause = (ms: number) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        setTimeout(resolve, ms);
        readAgain.current = resolve;
        return promise;
      };
      let isNext = hasStream;
      for (let failures = 0; !isLeft(); ) {
        try {
          if (isNext) await resume();
          [isNext, failures] = [false, 0];
          if (isLeft()) return;
          const conversation = await readConversation(projectId);
          if (isLeft()) return;
          setUnread(null);
          onRead(conversation);
          if (!conversation.isRunning) return;
          isNext = true;
          // The stream may be over before the turn is stored as ended.
          await pause(readAgainMs);
        } catch (error) {
          if (isLeft()) return;
          setUnread(Problem.of(error));
          await pause(retryDelayMs(failures++, error));
        }
      }
    },
    [projectId, resume, onRead, leave],
  );

  useEffect(() => {
    if (isRunning) void follow(true);
    return () => void leave();
  }, [isRunning, follow, leave]);

  return { follow, leave, unread, readAgain: () => readAgain.current() };
}
