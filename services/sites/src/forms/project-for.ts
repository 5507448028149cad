import { createSerializer, Project } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { call } from '@webkiln/rpc';

const serializeProject = createSerializer(Project);

/**
 * The public record of a project, requested with the caller's own permissions. Throws `project_not_found` if the caller
 * may not see the project.
 */
export async function projectFor(caller: Caller, project_id: string): Promise<Project> {
  const { project } = await call('projects.GetProject', { project_id }, caller);
  return serializeProject(project) as Project;
}
