import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Label, TextArea, TextField } from 'react-aria-components';
import { templatesQuery } from '../api/records.ts';
import { Snippet } from '../components/content/snippet.tsx';
import { Select } from '../components/forms/select.tsx';
import { Card } from '../components/layout/card.tsx';
import { texts } from '../texts.ts';

const t = texts.build;
const none = 'none';

/** Makes a link that begins a site with one click, to copy. Nothing is stored: the link says it all. */
export function BuildLinkCard() {
  const [prompt, setPrompt] = useState('');
  const [template, setTemplate] = useState(none);
  const { data: templates = [] } = useQuery(templatesQuery());
  const query = new URLSearchParams({ ...(prompt.trim() !== '' && { prompt: prompt.trim() }), ...(template !== none && { template }) });
  return (
    <Card title={t.link} padded>
      <div className="stack">
        <p className="soft">{t.linkText}</p>
        <TextField className="field" value={prompt} onChange={setPrompt} maxLength={4000}>
          <Label>{t.prompt}</Label>
          <TextArea className="input" placeholder={t.placeholder} />
        </TextField>
        <Select
          label={t.template}
          options={[{ id: none, label: texts.none }, ...templates.map(({ id, name }) => ({ id, label: name }))]}
          value={template}
          onChange={setTemplate}
        />
        {query.size === 0 ? null : <Snippet text={`${location.origin}/build?${query}`} label={t.link} />}
      </div>
    </Card>
  );
}
