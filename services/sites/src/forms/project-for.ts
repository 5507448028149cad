import { AppError, createSerializer, Project } from '@webkiln/contract';
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

/** The same; null for a project that does not exist any more. */
export async function projectUnlessDeleted(caller: Caller, project_id: string): Promise<Project | null> {
  try {
    return await projectFor(caller, project_id);
  } catch (error) {
    if (error instanceof AppError && error.code === 'project_not_found') return null;
    throw error;
  }
}
