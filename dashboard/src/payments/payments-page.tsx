import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useLocation } from 'react-router';
import { type PaymentSettings, paymentSettingsQuery } from '../api/payments.ts';
import { useSession } from '../api/session.ts';
import { Steps } from '../components/content/steps.tsx';
import { QueryBoundary } from '../components/feedback/query-boundary.tsx';
import { Checkbox } from '../components/forms/checkbox.tsx';
import { Field } from '../components/forms/field.tsx';
import { Toggle } from '../components/forms/toggle.tsx';
import { Card } from '../components/layout/card.tsx';
import { Page } from '../components/layout/page.tsx';
import { texts } from '../texts.ts';
import { CardPayments } from './card-payments.tsx';
import { ChargingFields, chargingBody } from './charging-fields.tsx';
import { SettingsCard } from './settings-card.tsx';

const t = texts.payments;

export function PaymentsPage() {
  const query = useQuery({ ...paymentSettingsQuery(), refetchOnWindowFocus: false });
  return (
    <Page title={texts.pages.payments} text={t.text}>
      <QueryBoundary query={query}>
        {(settings) => (
          <div className="stack settings">
            <Checklist settings={settings} />
            <CardPayments settings={settings} />
            <Settings settings={settings} />
          </div>
        )}
      </QueryBoundary>
    </Page>
  );
}

interface Props {
  readonly settings: PaymentSettings;
}

/** What is missing for a proper invoice. Nothing if all is there. */
function Checklist({ settings }: Props) {
  const { issuer_name, issuer_address, bank_details, tax_rate, invoice_note, mails_clients, card_payments } = settings;
  // Whoever takes cards needs no bank.
  const needsBank = bank_details !== null || card_payments !== 'ready';
  const { hash } = useLocation();
  useEffect(() => {
    if (hash !== '') document.getElementById(hash.slice(1))?.scrollIntoView();
  }, [hash]);
  const steps = [
    { ...t.checks.issuer, to: '#issuer', isDone: issuer_name !== null && issuer_address !== null },
    ...(needsBank ? [{ ...t.checks.bank, to: '#invoices', isDone: bank_details !== null }] : []),
    // Without a rate, a note says why: that is a decision, too.
    { ...t.checks.tax, to: '#tax', isDone: tax_rate !== null || invoice_note !== null },
    { ...t.checks.mails, to: '#mails', isDone: mails_clients },
  ];
  if (steps.every(({ isDone }) => isDone)) return null;
  return (
    <Card title={t.checklist}>
      <Steps steps={steps.map((step) => (step.isDone ? { ...step, text: '' } : step))} />
    </Card>
  );
}

/** A card for each part, which is saved on its own. */
function Settings({ settings }: Props) {
  const { organization } = useSession();
  return (
    <>
      <SettingsCard id="charging" title={t.charging} text={t.chargingText} body={chargingBody}>
        <ChargingFields settings={settings} />
      </SettingsCard>
      <SettingsCard
        id="ends"
        title={t.ends}
        text={t.endsText}
        body={(values) => ({
          grace_days: values.optional('grace_days') === null ? null : values.number('grace_days'),
          clients_may_cancel: values.isOn('clients_may_cancel'),
        })}
      >
        <Field
          label={t.graceDays}
          name="grace_days"
          defaultValue={String(settings.grace_days ?? '')}
          inputMode="numeric"
          pattern="[0-9]*"
          placeholder={t.graceDaysForGood}
          hint={t.graceDaysHint}
        />
        <Toggle name="clients_may_cancel" defaultSelected={settings.clients_may_cancel}>
          <span className="two-lines">
            <span>{t.clientsMayCancel}</span>
            <span>{t.clientsMayCancelHint}</span>
          </span>
        </Toggle>
      </SettingsCard>
      <SettingsCard
        id="issuer"
        title={t.issuer}
        text={t.issuerText}
        body={(values) => ({
          issuer_name: values.optional('issuer_name'),
          issuer_address: values.optional('issuer_address'),
          issuer_tax_id: values.optional('issuer_tax_id'),
        })}
      >
        <Field
          label={t.issuerName}
          name="issuer_name"
          defaultValue={settings.issuer_name ?? ''}
          maxLength={200}
          hint={t.issuerNameHint({ organization: organization?.name ?? '' })}
        />
        <Field
          label={t.address}
          name="issuer_address"
          defaultValue={settings.issuer_address ?? ''}
          lines="many"
          maxLength={1000}
          hint={t.addressHint}
        />
        <Field label={t.taxId} name="issuer_tax_id" defaultValue={settings.issuer_tax_id ?? ''} maxLength={100} />
      </SettingsCard>
      <SettingsCard
        id="tax"
        title={t.tax}
        text={t.taxText}
        body={(values) => ({
          tax_name: values.optional('tax_name'),
          tax_rate: values.optional('tax_rate') === null ? null : values.number('tax_rate'),
          tax_included: values.isOn('tax_included'),
        })}
      >
        <div className="form-row">
          <Field label={t.taxName} name="tax_name" defaultValue={settings.tax_name ?? ''} maxLength={50} hint={t.taxNameHint} />
          <Field label={t.taxRate} name="tax_rate" defaultValue={String(settings.tax_rate ?? '')} inputMode="decimal" />
        </div>
        <Checkbox name="tax_included" defaultSelected={settings.tax_included}>
          <span className="two-lines">
            <span>{t.taxIncluded}</span>
            <span>{t.taxIncludedHint}</span>
          </span>
        </Checkbox>
      </SettingsCard>
      <SettingsCard
        id="invoices"
        title={t.invoices}
        text={t.invoicesText}
        body={(values) => ({
          invoice_prefix: values.text('invoice_prefix'),
          bank_details: values.optional('bank_details'),
          invoice_note: values.optional('invoice_note'),
        })}
      >
        <Field label={t.prefix} name="invoice_prefix" defaultValue={settings.invoice_prefix} maxLength={20} hint={t.prefixHint} />
        <Field
          label={t.bank}
          name="bank_details"
          defaultValue={settings.bank_details ?? ''}
          lines="many"
          maxLength={1000}
          hint={t.bankHint}
        />
        <Field
          label={t.note}
          name="invoice_note"
          defaultValue={settings.invoice_note ?? ''}
          lines="many"
          maxLength={2000}
          hint={t.noteHint}
        />
      </SettingsCard>
      <SettingsCard id="mails" title={t.mails} text={t.mailsText} body={(values) => ({ mails_clients: values.isOn('mails_clients') })}>
        <Toggle name="mails_clients" defaultSelected={settings.mails_clients}>
          {t.mailsClients}
        </Toggle>
      </SettingsCard>
    </>
  );
}
