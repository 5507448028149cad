import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, readJson } from '../api/client.ts';
import { type PaymentSettings, paymentSettingsQuery } from '../api/payments.ts';
import { ActionForm } from '../components/forms/action-form.tsx';
import type { FormValues } from '../components/forms/form-values.ts';
import { Card } from '../components/layout/card.tsx';
import { texts } from '../texts.ts';

interface Props {
  /** Links of the checklist lead to it. */
  readonly id: string;
  readonly title: string;
  readonly text: string;
  /** The fields to change. */
  readonly body: (values: FormValues) => Partial<PaymentSettings>;
  readonly children: ReactNode;
}

/** A part of the payment settings with a form of its own. */
export function SettingsCard({ id, title, text, body, children }: Props) {
  const queryClient = useQueryClient();
  const [isSaved, setSaved] = useState(false);

  async function save(values: FormValues) {
    setSaved(false);
    const { payment_settings } = await readJson(api.PATCH('/account/payments', { body: body(values) }));
    queryClient.setQueryData(paymentSettingsQuery().queryKey, payment_settings);
    setSaved(true);
  }

  return (
    <div id={id} className="anchor">
      <Card title={title} padded>
        <ActionForm action={save} submit={texts.actions.save}>
          <p className="soft small">{text}</p>
          {children}
          {isSaved ? (
            <p className="notice good" role="status">
              {texts.payments.saved}
            </p>
          ) : null}
        </ActionForm>
      </Card>
    </div>
  );
}
