import { useState } from 'react';
import { languageOptions } from '../account/choose-language.tsx';
import type { Schemas } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import { isColor } from '../brand/colors.ts';
import { ActionForm } from '../components/forms/action-form.tsx';
import { Field } from '../components/forms/field.tsx';
import { Select } from '../components/forms/select.tsx';
import { Toggle } from '../components/forms/toggle.tsx';
import { Card } from '../components/layout/card.tsx';
import { texts } from '../texts.ts';
import { AccentField } from './accent-field.tsx';
import { BrandPreview } from './brand-preview.tsx';
import { LogoField } from './logo-field.tsx';

const t = texts.organization;
type Organization = Schemas['Organization'];

/** The changes to save. `logo` is base64, null to remove it, absent if unchanged. */
export interface OrganizationChanges {
  readonly name: string;
  readonly accent_color: string | null;
  readonly mail_sender_name: string | null;
  readonly contact_email: string | null;
  readonly client_tools: boolean;
  readonly client_reports: boolean;
  readonly language: Organization['language'];
  readonly logo?: string | null;
}

interface Props {
  readonly organization: Organization;
  readonly etag: string;
  readonly save: (changes: OrganizationChanges) => Promise<void>;
  readonly isSaved: boolean;
}

const draftOf = ({
  name,
  logo_url,
  accent_color,
  mail_sender_name,
  contact_email,
  client_tools,
  client_reports,
  language,
}: Organization) => ({
  name,
  logo: logo_url,
  accent: accent_color ?? '',
  sender: mail_sender_name ?? '',
  contact: contact_email ?? '',
  clientTools: client_tools,
  reports: client_reports,
  language: language ?? 'en',
});

/** The organization's settings with a live preview of what its clients see. */
export function OrganizationForm({ organization, etag, save, isSaved }: Props) {
  const [edited, setEdited] = useState({ etag, draft: draftOf(organization) });
  const [logoError, setLogoError] = useState<string>();
  // Edits belong to the ETag that they started from; a newer state replaces them.
  const draft = edited.etag === etag ? edited.draft : draftOf(organization);
  const { name, logo, accent, sender, contact, clientTools, reports, language } = draft;
  // A file that was chosen is read while the person goes on: the change is made to what is there then.
  const change = (part: Partial<typeof draft>) =>
    setEdited((now) => ({ etag, draft: { ...(now.etag === etag ? now.draft : draftOf(organization)), ...part } }));

  async function submit() {
    setLogoError(undefined);
    // A chosen file is a data: URL, which ends in its base64.
    const logoChange = logo === organization.logo_url ? {} : { logo: logo && (logo.split(',')[1] ?? '') };
    try {
      await save({
        name: name.trim(),
        accent_color: accent.trim() || null,
        mail_sender_name: sender.trim() || null,
        contact_email: contact.trim() || null,
        client_tools: clientTools,
        client_reports: reports,
        language,
        ...logoChange,
      });
    } catch (error) {
      setLogoError(Problem.of(error).fields.logo);
      throw error;
    }
  }

  return (
    <div className="organization">
      <Card padded>
        <ActionForm action={submit} submit={texts.actions.save}>
          <Field label={t.name} name="name" value={name} onChange={(name) => change({ name })} maxLength={200} isRequired />
          <LogoField logo={logo} onChange={(logo) => change({ logo })} error={logoError} />
          <AccentField accent={accent} onChange={(accent) => change({ accent })} />
          <Field
            label={t.sender}
            name="mail_sender_name"
            value={sender}
            onChange={(sender) => change({ sender })}
            maxLength={200}
            placeholder={name}
            hint={t.senderHint}
          />
          <Field
            label={t.contact}
            name="contact_email"
            type="email"
            value={contact}
            onChange={(contact) => change({ contact })}
            hint={t.contactHint}
          />
          <Select
            label={t.language}
            options={languageOptions}
            value={language}
            onChange={(id) => change({ language: id as typeof language })}
            hint={t.languageHint}
          />
          <div>
            <Toggle isSelected={clientTools} onChange={(clientTools) => change({ clientTools })}>
              {t.clientTools}
            </Toggle>
            <p className="hint">{t.clientToolsHint}</p>
          </div>
          <Toggle isSelected={reports} onChange={(reports) => change({ reports })}>
            {t.reports}
          </Toggle>
          {isSaved ? (
            <p className="notice good" role="status">
              {t.saved}
            </p>
          ) : null}
        </ActionForm>
      </Card>
      <BrandPreview brand={{ name, logo, accent: isColor(accent) ? accent : null }} sender={sender.trim() || name} />
    </div>
  );
}
