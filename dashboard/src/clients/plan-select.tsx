import { useQuery } from '@tanstack/react-query';
import { plansQuery } from '../api/records.ts';
import { noneOption } from '../components/forms/form-values.ts';
import { Select } from '../components/forms/select.tsx';
import { texts } from '../texts.ts';

/** Selects a client's plan, as the field `plan_id`; `noneOption` for no plan. */
export function PlanSelect({ initial }: { initial: string | null }) {
  const { data: plans = [] } = useQuery(plansQuery());
  const options = [{ id: noneOption, label: texts.clients.noPlan }, ...plans.map(({ id, name }) => ({ id, label: name }))];
  const hasPrice = plans.some(({ price }) => price > 0);
  return (
    <Select
      key={plans.length}
      label={texts.clients.plan}
      name="plan_id"
      options={options}
      initial={initial ?? noneOption}
      {...(hasPrice ? { hint: texts.clients.planHint } : {})}
    />
  );
}
