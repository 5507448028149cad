import { createSerializer, Project } from '@webkiln/contract';
import { type Caller, onBehalf } from '@webkiln/messages';
import { call } from '@webkiln/rpc';

const serializeProject = createSerializer(Project);

/**
 * The public record of a project; a client's user sees its own alone. Throws `project_not_found` if the caller may not
 * see the project.
 */
export async function projectFor(caller: Caller, project_id: string): Promise<Project> {
  const { project } = await call('projects.GetProject', { project_id }, onBehalf('sites', caller));
  return serializeProject(project) as Project;
}
