import { browserSupportsWebAuthn } from '@simplewebauthn/browser';
import { useMutation } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useEffect } from 'react';
import { Button } from 'react-aria-components';
import { ProblemNotice } from '../components/notice.tsx';
import { texts } from '../texts.ts';

/** Shorter than a challenge lasts, 5 minutes. */
const renewMs = 4 * 60_000;

/** What speaks to the browser is loaded when the page is there. */
const passkeys = () => import('../api/passkeys.ts');

/** Signs in by a passkey: by a button, and where the browser fills in the address. Nothing in a browser without any. */
export function PasskeySignIn({ onEnter }: { onEnter: () => Promise<void> }) {
  const byButton = useMutation({ mutationFn: async () => (await passkeys()).signInByPasskey().then(onEnter) });
  const byAutofill = useMutation({
    mutationFn: async (signal: AbortSignal) => ((await (await passkeys()).signInByAutofill(signal)) ? onEnter() : undefined),
  });
  const { mutate: offer } = byAutofill;
  const { isPending } = byButton;

  // A browser asks in one place at a time: the button takes over.
  useEffect(() => {
    if (isPending) return;
    let control = new AbortController();
    offer(control.signal);
    const renewal = setInterval(() => {
      control.abort();
      control = new AbortController();
      offer(control.signal);
    }, renewMs);
    return () => {
      clearInterval(renewal);
      control.abort();
    };
  }, [offer, isPending]);

  if (!browserSupportsWebAuthn()) return null;
  return (
    <>
      <ProblemNotice error={byButton.error ?? byAutofill.error} />
      <Button className="button wide" isPending={isPending} onPress={() => byButton.mutate()}>
        <KeyRound aria-hidden size={16} />
        {texts.doorway.signIn.byPasskey}
      </Button>
    </>
  );
}
