import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Problem } from '../api/problem.ts';
import { Skeleton } from '../components/feedback/skeleton.tsx';
import { readConversation } from './chat/turn-message.ts';
import { tellHost } from './host.ts';
import { OpenBuilder } from './open-builder.tsx';
import { filesQuery, type Project, type Visitor } from './queries.ts';
import { texts } from './texts.ts';

interface Props {
  readonly project: Project;
  readonly visitor: Visitor;
}

/** The builder of one project, once it is known what was said so far. */
export function Builder({ project, visitor }: Props) {
  const conversation = useQuery({
    queryKey: ['conversation', project.id],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () => readConversation(project.id),
  });
  const files = useQuery(filesQuery(project.id));
  useEffect(() => {
    document.title = texts.title(project.name);
  }, [project.name]);
  const isOpen = conversation.data !== undefined && files.data !== undefined;
  useEffect(() => {
    if (isOpen) tellHost({ type: 'ready', project_id: project.id });
  }, [isOpen, project.id]);
  if (conversation.data === undefined || files.data === undefined) {
    const error = conversation.error ?? files.error;
    return error === null ? <Skeleton /> : <p className="notice bad">{Problem.of(error).message}</p>;
  }
  return <OpenBuilder project={project} visitor={visitor} conversation={conversation.data} hasFiles={files.data.length > 0} />;
}
