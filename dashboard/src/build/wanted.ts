import { queryOptions } from '@tanstack/react-query';
import { Problem } from '../api/problem.ts';
import type { Brand } from '../brand/brand.ts';

/** The agency whose client builds here. */
interface Agency extends Brand {
  readonly id: string;
}

/** The stored link that is open. */
export interface StoredLink {
  readonly id: string;
  readonly agency: Agency;
  /** True if strangers may become clients of the agency. */
  readonly allowsJoining: boolean;
}

/** The build that a link asks for. */
export interface Wanted {
  readonly prompt: string | null;
  readonly template: string | null;
  readonly model: string | null;
  /** Null for an address that says itself what to build: whoever clicks builds in an organization of their own. */
  readonly link: StoredLink | null;
}

/** A stored link (`l`), or what the address itself says. */
export const wantedQuery = (search: URLSearchParams) => {
  const id = search.get('l');
  return queryOptions({
    queryKey: ['build-link', search.toString()],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async (): Promise<Wanted> => {
      if (id === null) return { prompt: search.get('prompt'), template: search.get('template'), model: search.get('model'), link: null };
      const response = await fetch(`/api/build-links/${encodeURIComponent(id)}`);
      const body = await response.json();
      if (!response.ok) throw new Problem(response.status, body);
      const { prompt, template_id: template, model, organization: agency, allows_joining: allowsJoining } = body;
      return { prompt, template, model, link: { id, agency, allowsJoining } };
    },
  });
};
