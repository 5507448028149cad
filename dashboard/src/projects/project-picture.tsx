import { Globe } from 'lucide-react';
import type { Project } from '../api/records.ts';
import { texts } from '../texts.ts';

const own = texts.projects;

/** What the published page looks like, as far as there is a picture of it. */
export function ProjectPicture({ project: { name, preview_image_url } }: { project: Project }) {
  if (preview_image_url !== null) return <img className="project-picture" src={preview_image_url} alt={own.preview(name)} />;
  return (
    <div className="project-picture none">
      <Globe size={22} aria-hidden />
      <span className="small">{own.noPreview}</span>
    </div>
  );
}
