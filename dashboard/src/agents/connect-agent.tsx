import { useState } from 'react';
import { Snippet } from '../components/content/snippet.tsx';
import { Select } from '../components/forms/select.tsx';
import { Card } from '../components/layout/card.tsx';
import { texts } from '../texts.ts';
import { AgentAddress, addressOf, asksForTheTen } from './agent-address.tsx';
import { agentGuides } from './agent-guides.ts';
import './agents.css';

const t = texts.agents;

/** How to connect the agent that is chosen, with what to copy. */
export function ConnectAgent() {
  const [asked, setAsked] = useState(asksForTheTen);
  const url = `${location.origin}/api/mcp`;
  const address = addressOf(url, asked);
  const guides = agentGuides(address);
  const [chosen, setChosen] = useState('claude');
  const guide = guides.find(({ id }) => id === chosen);
  return (
    <Card title={t.connect} padded>
      <div className="stack">
        <Select label={t.which} options={guides} value={chosen} onChange={setChosen} />
        <AgentAddress asked={asked} onChange={setAsked} />
        <ol className="numbered">
          {guide?.steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
        {guide === undefined ? null : <Snippet text={guide.snippet} label={t.copyThis} />}
        {/* The links add the plain address. */}
        {guide?.install === undefined || address !== url ? null : (
          <a className="link" href={guide.install}>
            {t.addTo({ name: guide.label })}
          </a>
        )}
        <a className="link small" href="/docs/agents" target="_blank" rel="noreferrer">
          {t.otherAgents}
        </a>
      </div>
    </Card>
  );
}
