import { useMutation, useQuery } from '@tanstack/react-query';
import { Button } from 'react-aria-components';
import { api, readJson, type Schemas } from '../api/client.ts';
import { usePermission } from '../api/permissions.ts';
import { Badge } from '../components/feedback/badge.tsx';
import { ProblemNotice } from '../components/feedback/problem-notice.tsx';
import { QueryBoundary } from '../components/feedback/query-boundary.tsx';
import { Card } from '../components/layout/card.tsx';
import { language } from '../texts/language.ts';
import { texts } from '../texts.ts';

const t = texts.models;
const seconds = new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** The models of the platform, each with a test that says in words what is wrong with it. */
export function ModelsCard() {
  const canTest = usePermission('manageOrganization');
  const query = useQuery({ queryKey: ['models'], queryFn: () => readJson(api.GET('/models')) });
  return (
    <Card title={t.title}>
      <QueryBoundary query={query}>
        {({ models, default_model }) => (
          <>
            <p className="card-body soft">{models.length === 0 ? t.none : t.text}</p>
            {models.length === 0 ? null : (
              <ul className="models">
                {models.map((model) => (
                  <ModelRow key={model.id} model={model} isDefault={model.id === default_model} canTest={canTest} />
                ))}
              </ul>
            )}
          </>
        )}
      </QueryBoundary>
    </Card>
  );
}

interface RowProps {
  readonly model: Schemas['ChatModel'];
  readonly isDefault: boolean;
  readonly canTest: boolean;
}

function ModelRow({ model: { id, name, is_allowed }, isDefault, canTest }: RowProps) {
  const test = useMutation({
    mutationFn: () => readJson(api.POST('/account/models/test', { body: { model: id } })).then(({ model_test }) => model_test),
  });
  return (
    <li>
      <div className="models-row">
        <strong>{name}</strong>
        {isDefault ? <Badge>{t.default}</Badge> : null}
        {is_allowed ? null : <Badge>{t.notAllowed}</Badge>}
        {canTest ? (
          <Button className="button compact" aria-label={t.testOf({ name })} isDisabled={test.isPending} onPress={() => test.mutate()}>
            {test.isPending ? t.testing : t.test}
          </Button>
        ) : null}
      </div>
      <div role="status">{test.data === undefined ? null : <Result {...test.data} />}</div>
      <ProblemNotice error={test.error} />
    </li>
  );
}

const Result = ({ passed, findings, milliseconds }: Schemas['ModelTestResult']) => (
  <>
    <p>
      <Badge tone={passed ? 'good' : 'bad'}>{passed ? t.passed : t.failed}</Badge>{' '}
      <span className="small soft number">{t.seconds({ seconds: seconds.format(milliseconds / 1_000) })}</span>
    </p>
    <ul className="small soft">
      {findings.map(({ code }) => (
        <li key={code}>{t.findings[code]}</li>
      ))}
    </ul>
  </>
);
