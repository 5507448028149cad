import { useQuery } from '@tanstack/react-query';
import { ordersQuery, type PaymentSettings } from '../api/payments.ts';
import { currencyOptions } from '../components/content/money.ts';
import { Field } from '../components/forms/field.tsx';
import type { FormValues } from '../components/forms/form-values.ts';
import { SearchableOptions } from '../components/forms/searchable-options.tsx';
import { Select } from '../components/forms/select.tsx';
import { texts } from '../texts.ts';

const t = texts.payments;
const zones = Intl.supportedValuesOf('timeZone');

/** When orders are made, in which currency, and how long clients have to pay them. */
export function ChargingFields({ settings }: { settings: PaymentSettings }) {
  const { data: orders } = useQuery(ordersQuery({ limit: 1 }));
  const isFixed = (orders?.total ?? 0) > 0;
  const { currency, time_zone, trial_days, payment_days, retry_days } = settings;
  const zoneOptions = [...new Set(['UTC', time_zone, ...zones])].toSorted().map((id) => ({ id, label: id.replaceAll('_', ' ') }));
  return (
    <>
      <div className="form-row">
        <Select
          label={t.currency}
          name="currency"
          options={currencyOptions}
          initial={currency}
          hint={isFixed ? t.currencyFixed : t.currencyHint}
          isDisabled={isFixed}
          list={SearchableOptions}
        />
        <Select
          label={t.timeZone}
          name="time_zone"
          options={zoneOptions}
          initial={time_zone}
          hint={t.timeZoneHint}
          list={SearchableOptions}
        />
      </div>
      <div className="form-row">
        <Field
          label={t.trialDays}
          name="trial_days"
          defaultValue={String(trial_days)}
          inputMode="numeric"
          hint={t.trialDaysHint}
          isRequired
        />
        <Field
          label={t.paymentDays}
          name="payment_days"
          defaultValue={String(payment_days)}
          inputMode="numeric"
          hint={t.paymentDaysHint}
          isRequired
        />
      </div>
      <Field label={t.retryDays} name="retry_days" defaultValue={retry_days.join(', ')} hint={t.retryDaysHint} isRequired />
    </>
  );
}

/** The request body from the values of `ChargingFields`. A currency that is fixed is not sent. */
export const chargingBody = (values: FormValues): Partial<PaymentSettings> => ({
  ...(values.text('currency') === '' ? {} : { currency: values.text('currency') }),
  time_zone: values.text('time_zone'),
  trial_days: values.number('trial_days'),
  payment_days: values.number('payment_days'),
  retry_days: values.text('retry_days').split(',').map(Number),
});
