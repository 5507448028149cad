import { Globe } from 'lucide-react';
import type { Project } from '../api/records.ts';
import { texts } from '../texts.ts';
import './project.css';

const t = texts.projects;

/** The preview image of the published site in its small form, or a placeholder. */
export function ProjectImage({ project: { name, preview_image_url } }: { project: Project }) {
  const small = preview_image_url?.replace(/png$/, 'webp');
  if (small !== undefined) return <img className="project-picture" src={small} alt={t.preview({ name })} />;
  return (
    <div className="project-picture none">
      <Globe size={22} aria-hidden />
      <span className="small">{t.noPreview}</span>
    </div>
  );
}
