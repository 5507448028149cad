import { Project, presenter } from '@webkiln/contract';
import { type Caller, call } from '@webkiln/rpc';

const shown = presenter(Project);

/** The project as the REST API shows it, asked for as the caller, who may not see all of his organization; throws `project_not_found` unless it is the caller's organization's. */
export async function projectFor(caller: Caller, project_id: string): Promise<Project> {
  const { project } = await call('projects.GetProject', { project_id }, caller);
  return shown(project) as Project;
}
