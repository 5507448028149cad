import { queryOptions } from '@tanstack/react-query';
import { Problem } from '../api/problem.ts';
import type { Brand } from '../brand/brand.ts';

/** The agency whose client builds here. */
export interface Agency extends Brand {
  readonly id: string;
  readonly slug: string;
}

/** The build that a link asks for. */
export interface Wanted {
  readonly prompt: string | null;
  readonly template: string | null;
  readonly model: string | null;
  /** Null for a link that names none: whoever clicks builds in an organization of their own. */
  readonly agency: Agency | null;
}

/** A stored link (`l`), or what the address itself says; `org` is the short name of an agency. */
export const wantedQuery = (search: URLSearchParams) => {
  const [id, org] = [search.get('l'), search.get('org')];
  return queryOptions({
    queryKey: ['build-link', search.toString()],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async (): Promise<Wanted> => {
      if (id !== null) {
        const { prompt, template_id: template, model, organization: agency } = await read(`/api/build-links/${encodeURIComponent(id)}`);
        return { prompt, template, model, agency };
      }
      const asked = { prompt: search.get('prompt'), template: search.get('template'), model: search.get('model') };
      return { ...asked, agency: org === null ? null : (await read(`/api/build-organizations/${encodeURIComponent(org)}`)).organization };
    },
  });
};

async function read(path: string) {
  const response = await fetch(path);
  const body = await response.json();
  if (!response.ok) throw new Problem(response.status, body);
  return body;
}
