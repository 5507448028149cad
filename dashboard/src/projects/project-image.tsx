import { Globe } from 'lucide-react';
import type { Project } from '../api/records.ts';
import { texts } from '../texts.ts';
import './project.css';

const t = texts.projects;

/** The preview image of the published site, or a placeholder. */
export function ProjectImage({ project: { name, preview_image_url } }: { project: Project }) {
  if (preview_image_url !== null) return <img className="project-picture" src={preview_image_url} alt={t.preview({ name })} />;
  return (
    <div className="project-picture none">
      <Globe size={22} aria-hidden />
      <span className="small">{t.noPreview}</span>
    </div>
  );
}
