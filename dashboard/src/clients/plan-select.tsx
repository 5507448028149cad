import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { plansQuery } from '../api/records.ts';
import { noneOption } from '../components/forms/form-values.ts';
import { Select } from '../components/forms/select.tsx';
import { texts } from '../texts.ts';
import { PlanFit } from './plan-fit.tsx';

interface Props {
  readonly initial: string | null;
  /** The client whose plan is changed; a new one uses nothing. */
  readonly clientId?: string;
}

/** Selects a client's plan, as the field `plan_id`; `noneOption` for no plan. Says what a smaller plan would mean. */
export function PlanSelect({ initial, clientId }: Props) {
  const [chosen, setChosen] = useState(initial ?? noneOption);
  const { data: plans = [] } = useQuery(plansQuery());
  const options = [{ id: noneOption, label: texts.clients.noPlan }, ...plans.map(({ id, name }) => ({ id, label: name }))];
  const hasPrice = plans.some(({ price }) => price > 0);
  return (
    <>
      <Select
        key={plans.length}
        label={texts.clients.plan}
        name="plan_id"
        options={options}
        value={chosen}
        onChange={setChosen}
        {...(hasPrice ? { hint: texts.clients.planHint } : {})}
      />
      {clientId === undefined || chosen === noneOption ? null : <PlanFit clientId={clientId} planId={chosen} />}
    </>
  );
}
