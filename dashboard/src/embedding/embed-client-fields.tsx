import type { Schemas } from '../api/client.ts';
import { Field } from '../components/forms/field.tsx';
import type { FormValues } from '../components/forms/form-values.ts';
import { texts } from '../texts.ts';

const t = texts.embedding;

export function EmbedClientFields({ client }: { client?: Schemas['EmbedClient'] }) {
  return (
    <>
      <Field
        label={t.name}
        name="name"
        hint={t.nameHint}
        defaultValue={client?.name ?? ''}
        maxLength={200}
        isRequired
        autoFocus={client === undefined}
      />
      <Field
        label={t.origins}
        name="allowed_origins"
        hint={t.originsHint}
        placeholder="https://app.example.com"
        defaultValue={client?.allowed_origins.join('\n') ?? ''}
        lines="many"
        isRequired
      />
      <Field
        label={t.sessionCredits}
        name="session_credits"
        hint={t.creditsHint}
        defaultValue={client?.session_credits?.toString() ?? ''}
        inputMode="numeric"
        pattern="[0-9]*"
      />
      <Field
        label={t.dailyCredits}
        name="daily_credits"
        hint={t.creditsHint}
        defaultValue={client?.daily_credits?.toString() ?? ''}
        inputMode="numeric"
        pattern="[0-9]*"
      />
    </>
  );
}

export const embedClientBody = (values: FormValues) => ({
  name: values.text('name'),
  allowed_origins: values.text('allowed_origins').split(/[\s,]+/),
  session_credits: values.text('session_credits') === '' ? null : values.number('session_credits'),
  daily_credits: values.text('daily_credits') === '' ? null : values.number('daily_credits'),
});
