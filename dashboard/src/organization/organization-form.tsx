import { useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import { isColor } from '../brand/colors.ts';
import { ActionForm } from '../components/action-form.tsx';
import { Card } from '../components/card.tsx';
import { Field } from '../components/field.tsx';
import { texts } from '../texts.ts';
import { AccentField } from './accent-field.tsx';
import { BrandPreview } from './brand-preview.tsx';
import { LogoField } from './logo-field.tsx';

const own = texts.organization;
type Organization = Schemas['Organization'];

/** What is to become of it; the logo, as base64, where it is another. */
export interface Wanted {
  readonly name: string;
  readonly accent_color: string | null;
  readonly mail_sender_name: string | null;
  readonly logo?: string | null;
}

interface Props {
  readonly organization: Organization;
  readonly etag: string;
  readonly save: (wanted: Wanted) => Promise<void>;
  readonly isSaved: boolean;
}

const draftOf = ({ name, logo_url, accent_color, mail_sender_name }: Organization) => ({
  name,
  logo: logo_url,
  accent: accent_color ?? '',
  sender: mail_sender_name ?? '',
});

/** The organization, and how its clients see it, shown while it is filled in. */
export function OrganizationForm({ organization, etag, save, isSaved }: Props) {
  const [edited, setEdited] = useState({ etag, draft: draftOf(organization) });
  const [logoError, setLogoError] = useState<string>();
  // What was filled in belongs to the state that it was made on: another one is shown afresh.
  const draft = edited.etag === etag ? edited.draft : draftOf(organization);
  const { name, logo, accent, sender } = draft;
  const change = (part: Partial<typeof draft>) => setEdited({ etag, draft: { ...draft, ...part } });

  async function act() {
    setLogoError(undefined);
    // A chosen file is a data: address, which ends in its base64.
    const other = logo === organization.logo_url ? {} : { logo: logo && (logo.split(',')[1] ?? '') };
    try {
      await save({ name: name.trim(), accent_color: accent.trim() || null, mail_sender_name: sender.trim() || null, ...other });
    } catch (error) {
      setLogoError(Problem.of(error).fields.logo);
      throw error;
    }
  }

  return (
    <div className="organization">
      <Card padded>
        <ActionForm action={act} submit={texts.actions.save}>
          <Field label={own.name} name="name" value={name} onChange={(name) => change({ name })} maxLength={200} isRequired />
          <LogoField logo={logo} onChange={(logo) => change({ logo })} error={logoError} />
          <AccentField accent={accent} onChange={(accent) => change({ accent })} />
          <Field
            label={own.sender}
            name="mail_sender_name"
            value={sender}
            onChange={(sender) => change({ sender })}
            maxLength={200}
            placeholder={name}
            hint={own.senderHint}
          />
          {isSaved ? (
            <p className="notice good" role="status">
              {own.saved}
            </p>
          ) : null}
        </ActionForm>
      </Card>
      <BrandPreview brand={{ name, logo, accent: isColor(accent) ? accent : null }} sender={sender.trim() || name} />
    </div>
  );
}
