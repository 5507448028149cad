import { useQuery } from '@tanstack/react-query';
import { plansQuery } from '../api/records.ts';
import { Choice } from '../components/choice.tsx';
import { nothing } from '../components/filled-form.ts';
import { texts } from '../texts.ts';

/** The plan of a client; the name of the field is plan_id, `nothing` for none. */
export function PlanChoice({ initial }: { initial: string | null }) {
  const { data: plans = [] } = useQuery(plansQuery());
  const options = [{ id: nothing, label: texts.clients.noPlan }, ...plans.map(({ id, name }) => ({ id, label: name }))];
  return <Choice key={plans.length} label={texts.clients.plan} name="plan_id" options={options} initial={initial ?? nothing} />;
}
