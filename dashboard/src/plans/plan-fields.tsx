import { useCurrency } from '../api/payments.ts';
import type { Plan } from '../api/records.ts';
import { Checkbox } from '../components/forms/checkbox.tsx';
import { Field } from '../components/forms/field.tsx';
import type { FormValues } from '../components/forms/form-values.ts';
import { Select } from '../components/forms/select.tsx';
import { texts } from '../texts.ts';

const t = texts.plans;
const intervals = Object.entries(t.intervals).map(([id, label]) => ({ id, label }));

/** The fields of a plan. Without `plan` they show the API's defaults for a new one. */
export function PlanFields({ plan }: { plan?: Plan }) {
  const currency = useCurrency();
  return (
    <>
      <Field label={t.name} name="name" defaultValue={plan?.name ?? ''} maxLength={200} isRequired autoFocus={plan === undefined} />
      <div className="form-row">
        <Field label={t.priceIn({ currency })} name="price" inputMode="decimal" defaultValue={String(plan?.price ?? '')} isRequired />
        <Select label={t.interval} name="interval" options={intervals} initial={plan?.interval ?? 'monthly'} />
      </div>
      <div className="form-row">
        <Field label={t.sites} name="max_sites" inputMode="numeric" defaultValue={String(plan?.max_sites ?? 3)} isRequired />
        <Field
          label={t.messages}
          name="max_ai_messages_daily"
          inputMode="numeric"
          defaultValue={String(plan?.max_ai_messages_daily ?? 50)}
          isRequired
        />
      </div>
      <Field label={t.description} name="description" defaultValue={plan?.description ?? ''} lines="many" maxLength={2000} />
      <Checkbox name="can_export_code" defaultSelected={plan?.can_export_code ?? false}>
        {t.canExport}
      </Checkbox>
      <Checkbox name="can_use_custom_domain" defaultSelected={plan?.can_use_custom_domain ?? false}>
        {t.canDomain}
      </Checkbox>
    </>
  );
}

/** The request body from the values of `PlanFields`. */
export const planBody = (values: FormValues) => ({
  name: values.text('name'),
  description: values.optional('description'),
  price: values.number('price'),
  interval: values.text('interval') as Plan['interval'],
  max_sites: values.number('max_sites'),
  max_ai_messages_daily: values.number('max_ai_messages_daily'),
  can_export_code: values.isOn('can_export_code'),
  can_use_custom_domain: values.isOn('can_use_custom_domain'),
});
