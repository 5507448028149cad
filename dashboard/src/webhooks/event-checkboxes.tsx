import { CheckboxGroup, FieldError, Label, Text } from 'react-aria-components';
import type { Schemas } from '../api/client.ts';
import { Tick } from '../components/tick.tsx';
import { texts } from '../texts.ts';

export type EventName = Schemas['Webhook']['events'][number];

/** Checked by the compiler to be every event of the API. */
const known: Readonly<Record<EventName, true>> = {
  'client.created': true,
  'client.updated': true,
  'project.created': true,
  'project.published': true,
  'payment.received': true,
  'form.submitted': true,
};
export const eventNames = Object.keys(known) as EventName[];

/** Which events a webhook is told of; the name of the field is `events`. */
export function EventChoice({ initial }: { initial: readonly EventName[] }) {
  return (
    <CheckboxGroup className="field" name="events" defaultValue={[...initial]} isRequired>
      <Label className="label">{texts.webhooks.events}</Label>
      <Text slot="description" className="hint">
        {texts.webhooks.eventsHint}
      </Text>
      <div className="form-row tight">
        {eventNames.map((name) => (
          <Tick key={name} value={name}>
            <code>{name}</code>
          </Tick>
        ))}
      </div>
      <FieldError className="field-error">{texts.webhooks.chooseEvent}</FieldError>
    </CheckboxGroup>
  );
}
