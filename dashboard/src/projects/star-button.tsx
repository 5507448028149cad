import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Star } from 'lucide-react';
import { ToggleButton } from 'react-aria-components';
import { answer, api } from '../api/client.ts';
import type { Project } from '../api/records.ts';
import { texts } from '../texts.ts';

/** Stars a project; shown at once, and taken back if the platform refuses. */
export function StarButton({ project }: { project: Project }) {
  const queries = useQueryClient();
  const { mutate, variables, isPending } = useMutation({
    mutationFn: (starred: boolean) =>
      answer(api.PATCH('/projects/{projectId}', { params: { path: { projectId: project.id } }, body: { starred } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['projects'] }),
  });
  const starred = isPending ? variables : project.starred;
  return (
    <ToggleButton
      className="button quiet icon star above"
      isSelected={starred}
      onChange={mutate}
      aria-label={texts.projects.starProject(project.name)}
    >
      <Star size={16} fill={starred ? 'currentColor' : 'none'} aria-hidden />
    </ToggleButton>
  );
}
