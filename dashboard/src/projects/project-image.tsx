import { Globe } from 'lucide-react';
import type { Project } from '../api/records.ts';
import { texts } from '../texts.ts';
import { pictureOf } from './picture-of.ts';
import './project.css';

const t = texts.projects;

/** The preview image of the published site in its small form, or a placeholder. */
export function ProjectImage({ project }: { project: Project }) {
  const picture = pictureOf(project);
  if (picture !== undefined) return <img className="project-picture" src={picture} alt={t.preview({ name: project.name })} />;
  return (
    <div className="project-picture none">
      <Globe size={22} aria-hidden />
      <span className="small">{t.noPreview}</span>
    </div>
  );
}
