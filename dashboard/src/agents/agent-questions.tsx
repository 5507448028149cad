import { useQuery } from '@tanstack/react-query';
import { Button } from 'react-aria-components';
import { api, readJson, type Schemas } from '../api/client.ts';
import { useSession } from '../api/session.ts';
import { useAction } from '../api/use-action.ts';
import { Timestamp } from '../components/content/timestamp.tsx';
import { ProblemNotice } from '../components/feedback/problem-notice.tsx';
import { Card } from '../components/layout/card.tsx';
import { texts } from '../texts.ts';

type Question = Schemas['AgentQuestion'];

const t = texts.agents.questions;
const toolNames: Readonly<Record<string, string>> = texts.agents.tools;
const askAgainMs = 5000;

/** The calls of agents that a person allows or refuses; nothing while none waits. */
export function AgentQuestions() {
  const { role } = useSession();
  const query = useQuery({
    queryKey: ['agent-questions'],
    queryFn: () => readJson(api.GET('/account/agents/questions')),
    enabled: role !== null,
    // An agent asks while its person works elsewhere.
    refetchInterval: askAgainMs,
  });
  const questions = query.data?.questions ?? [];
  if (questions.length === 0) return null;
  return (
    <Card title={t.title}>
      <p className="card-body soft">{questions.some(({ read_tool }) => read_tool !== null) ? t.text : t.alwaysText}</p>
      <ul className="agent-questions">
        {questions.map((question) => (
          <Waiting key={question.id} question={question} />
        ))}
      </ul>
    </Card>
  );
}

function Waiting({ question }: { readonly question: Question }) {
  const { id, agent, tool, project, read_tool, asked_at } = question;
  const answer = useAction('agent-questions', (decision: Schemas['AgentDecision']) =>
    readJson(api.POST('/account/agents/questions/{questionId}/answer', { params: { path: { questionId: id } }, body: { decision } })),
  );
  const nameOf = (name: string) => toolNames[name] ?? name;
  return (
    <li className="card-body stack">
      <span className="two-lines">
        <strong className="anywhere">
          {agent}: {nameOf(tool)} {project === null ? null : t.inProject({ project })}
        </strong>
        <span className="soft small">
          <Timestamp at={asked_at} /> · {read_tool === null ? t.always : t.read({ tool: nameOf(read_tool) })}
        </span>
      </span>
      <dl className="small">
        {question.arguments.map(({ name, value }) => (
          <div key={name} className="anywhere">
            <dt className="soft">{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <ProblemNotice error={answer.error} />
      <div className="actions">
        <Button className="button primary compact" isDisabled={answer.isPending} onPress={() => answer.mutate('once')}>
          {t.once}
        </Button>
        <Button className="button compact" isDisabled={answer.isPending} onPress={() => answer.mutate('session')}>
          {t.session}
        </Button>
        <Button className="button compact quiet" isDisabled={answer.isPending} onPress={() => answer.mutate('refuse')}>
          {t.refuse}
        </Button>
      </div>
    </li>
  );
}
