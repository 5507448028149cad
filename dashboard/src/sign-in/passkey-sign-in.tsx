import { browserSupportsWebAuthn } from '@simplewebauthn/browser';
import { useMutation } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useEffect } from 'react';
import { Button } from 'react-aria-components';
import { ProblemNotice } from '../components/feedback/problem-notice.tsx';
import { texts } from '../texts.ts';

/** Renewed before the challenge expires after 5 minutes. */
const renewMs = 4 * 60_000;

/** Loaded after the page is shown. */
const passkeys = () => import('../api/passkeys.ts');

/** Signs in with a passkey, by a button and by autofill. Renders nothing if the browser has no WebAuthn. */
export function PasskeySignIn({ onSignedIn }: { onSignedIn: () => Promise<void> }) {
  const byButton = useMutation({ mutationFn: async () => (await passkeys()).signInByPasskey().then(onSignedIn) });
  const byAutofill = useMutation({
    mutationFn: async (signal: AbortSignal) => ((await (await passkeys()).signInByAutofill(signal)) ? onSignedIn() : undefined),
  });
  const { mutate: offer } = byAutofill;
  const { isPending } = byButton;

  // A browser allows one WebAuthn request at a time, so the button ends the autofill offer.
  useEffect(() => {
    if (isPending) return;
    let controller = new AbortController();
    offer(controller.signal);
    const renewal = setInterval(() => {
      controller.abort();
      controller = new AbortController();
      offer(controller.signal);
    }, renewMs);
    return () => {
      clearInterval(renewal);
      controller.abort();
    };
  }, [offer, isPending]);

  if (!browserSupportsWebAuthn()) return null;
  return (
    <>
      <ProblemNotice error={byButton.error ?? byAutofill.error} />
      <Button className="button wide" isPending={isPending} onPress={() => byButton.mutate()}>
        <KeyRound aria-hidden size={16} />
        {texts.auth.signIn.byPasskey}
      </Button>
    </>
  );
}
