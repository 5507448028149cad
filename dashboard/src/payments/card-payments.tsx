import { useMutation } from '@tanstack/react-query';
import { Button } from 'react-aria-components';
import { api, readJson } from '../api/client.ts';
import type { PaymentSettings } from '../api/payments.ts';
import { useAction } from '../api/use-action.ts';
import { ConfirmButton } from '../components/dialogs/confirm-button.tsx';
import { Badge, type Tone } from '../components/feedback/badge.tsx';
import { ProblemNotice } from '../components/feedback/problem-notice.tsx';
import { Card } from '../components/layout/card.tsx';
import { texts } from '../texts.ts';

const t = texts.cardPayments;

const tones = { not_connected: 'plain', incomplete: 'warn', ready: 'good' } satisfies Record<string, Tone>;

interface LeaveProps {
  readonly label: string;
  readonly variant: string;
  readonly act: () => Promise<{ readonly url: string }>;
}

/** A button that leads to a page of the payment provider, which comes back here. */
export function LeaveButton({ label, variant, act }: LeaveProps) {
  const leave = useMutation({ mutationFn: act, onSuccess: ({ url }) => window.location.assign(url) });
  return (
    <>
      <Button className={`button ${variant}`} isPending={leave.isPending || leave.isSuccess} onPress={() => leave.mutate()}>
        {label}
      </Button>
      <ProblemNotice error={leave.error} />
    </>
  );
}

const connect = () => readJson(api.POST('/account/payments/stripe', { body: {} }));

/** The part of the settings that says if clients may pay by card; there an organization begins and ends that. */
export function CardPayments({ settings: { card_payments: state } }: { settings: PaymentSettings }) {
  const disconnect = useAction('payment-settings', () => readJson(api.DELETE('/account/payments/stripe')));
  return (
    <div id="cards" className="anchor">
      <Card title={t.title} actions={state === 'unavailable' ? null : <Badge tone={tones[state]}>{t.states[state]}</Badge>} padded>
        <div className="stack">
          <p className="soft small">{t.text}</p>
          <p>{t.explained[state]}</p>
          {state === 'unavailable' ? null : (
            <span className="actions">
              {state === 'ready' ? null : <LeaveButton label={t.connect[state]} variant="primary" act={connect} />}
              {state === 'not_connected' ? null : (
                <ConfirmButton
                  label={t.disconnect}
                  title={t.disconnectTitle}
                  text={t.disconnectText}
                  action={disconnect.mutateAsync}
                  variant={state === 'ready' ? '' : 'quiet'}
                />
              )}
            </span>
          )}
        </div>
      </Card>
    </div>
  );
}
