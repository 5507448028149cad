import type { Plan } from '../api/records.ts';
import { Choice } from '../components/choice.tsx';
import { Field } from '../components/field.tsx';
import type { FilledForm } from '../components/filled-form.ts';
import { Tick } from '../components/tick.tsx';
import { texts } from '../texts.ts';

const own = texts.plans;
const intervals = Object.entries(own.intervals).map(([id, label]) => ({ id, label }));

/** The fields of a plan; without one those of a new one, with the API's own defaults. */
export function PlanFields({ plan }: { plan?: Plan }) {
  return (
    <>
      <Field label={own.name} name="name" defaultValue={plan?.name ?? ''} maxLength={200} isRequired autoFocus={plan === undefined} />
      <div className="form-row">
        <Field label={own.price} name="price" inputMode="decimal" defaultValue={String(plan?.price ?? '')} isRequired />
        <Choice label={own.interval} name="interval" options={intervals} initial={plan?.interval ?? 'monthly'} />
      </div>
      <div className="form-row">
        <Field label={own.sites} name="max_sites" inputMode="numeric" defaultValue={String(plan?.max_sites ?? 3)} isRequired />
        <Field
          label={own.messages}
          name="max_ai_messages_daily"
          inputMode="numeric"
          defaultValue={String(plan?.max_ai_messages_daily ?? 50)}
          isRequired
        />
      </div>
      <Field label={own.description} name="description" defaultValue={plan?.description ?? ''} lines="many" maxLength={2000} />
      <Tick name="can_export_code" defaultSelected={plan?.can_export_code ?? false}>
        {own.canExport}
      </Tick>
      <Tick name="can_use_custom_domain" defaultSelected={plan?.can_use_custom_domain ?? false}>
        {own.canDomain}
      </Tick>
    </>
  );
}

/** What they were filled in with. */
export const planOf = (filled: FilledForm) => ({
  name: filled.text('name'),
  description: filled.optional('description'),
  price: filled.number('price'),
  interval: filled.text('interval') as Plan['interval'],
  max_sites: filled.number('max_sites'),
  max_ai_messages_daily: filled.number('max_ai_messages_daily'),
  can_export_code: filled.isOn('can_export_code'),
  can_use_custom_domain: filled.isOn('can_use_custom_domain'),
});
