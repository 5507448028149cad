import { CheckboxGroup, FieldError, Label, Text } from 'react-aria-components';
import { usePermission } from '../api/permissions.ts';
import { Checkbox } from '../components/forms/checkbox.tsx';
import { texts } from '../texts.ts';
import { eventNames } from './event-names.ts';

export type EventName = (typeof eventNames)[number];

/** Selects the events of a webhook, as the field `events`. Payments are offered to those who may see them. */
export function EventCheckboxes({ initial }: { initial: readonly EventName[] }) {
  const seesPayments = usePermission('managePayments');
  const offered = eventNames.filter((name) => name !== 'payment.received' || seesPayments || initial.includes(name));
  return (
    <CheckboxGroup className="field" name="events" defaultValue={[...initial]} isRequired>
      <Label className="label">{texts.webhooks.events}</Label>
      <Text slot="description" className="hint">
        {texts.webhooks.eventsHint}
      </Text>
      <div className="form-row tight">
        {offered.map((name) => (
          <Checkbox key={name} value={name}>
            <code>{name}</code>
          </Checkbox>
        ))}
      </div>
      <FieldError className="field-error">{texts.webhooks.chooseEvent}</FieldError>
    </CheckboxGroup>
  );
}
