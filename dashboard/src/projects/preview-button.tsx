import { Button } from 'react-aria-components';
import { api, readJson } from '../api/client.ts';
import { useAction } from '../api/use-action.ts';
import { ProblemNotice } from '../components/feedback/problem-notice.tsx';
import { texts } from '../texts.ts';

/** Opens the preview of a project's draft in a new tab. */
export function PreviewButton({ projectId, variant = '' }: { projectId: string; variant?: string }) {
  const preview = useAction('preview', async () => {
    const { preview_url } = await readJson(api.GET('/projects/{projectId}/preview', { params: { path: { projectId } } }));
    window.open(preview_url, '_blank', 'noopener');
  });
  return (
    <>
      <ProblemNotice error={preview.error} />
      <Button className={`button ${variant}`} onPress={() => preview.mutate()} isPending={preview.isPending}>
        {texts.projects.openPreview}
      </Button>
    </>
  );
}
