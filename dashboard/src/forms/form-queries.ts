import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, readJson, readWithEtag } from '../api/client.ts';

const ofProject = (projectId: string) => ({ path: { projectId } });

export const formsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['forms', projectId],
    queryFn: () => readJson(api.GET('/projects/{projectId}/forms', { params: ofProject(projectId) })).then(({ forms }) => forms),
  });

export interface SubmissionFilter {
  readonly spam: string;
  readonly limit: number;
  readonly offset: number;
}

export const submissionsQuery = (projectId: string, query: SubmissionFilter) =>
  queryOptions({
    queryKey: ['forms', projectId, 'submissions', query],
    placeholderData: keepPreviousData,
    queryFn: () => readJson(api.GET('/projects/{projectId}/forms/submissions', { params: { ...ofProject(projectId), query } })),
  });

export const formSettingsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['forms', projectId, 'settings'],
    queryFn: () => readWithEtag(api.GET('/projects/{projectId}/forms/settings', { params: ofProject(projectId) })),
  });
