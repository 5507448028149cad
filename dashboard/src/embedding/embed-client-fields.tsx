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
    </>
  );
}

export const embedClientBody = (values: FormValues) => ({
  name: values.text('name'),
  allowed_origins: values.text('allowed_origins').split(/[\s,]+/),
});
