import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Skeleton } from '../components/feedback/skeleton.tsx';
import { UnreadNotice, useUnread } from './builder-notice.tsx';
import { readConversation } from './chat/turn-message.ts';
import { tellHost } from './host.ts';
import { OpenBuilder } from './open-builder.tsx';
import { filesQuery, type Project, untilRead, type Visitor } from './queries.ts';
import { texts } from './texts.ts';

interface Props {
  readonly project: Project;
  readonly visitor: Visitor;
}

/** The builder of one project, once it is known what was said so far. */
export function Builder({ project, visitor }: Props) {
  const conversation = useQuery({
    ...untilRead,
    queryKey: ['conversation', project.id],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () => readConversation(project.id),
  });
  const files = useQuery(filesQuery(project.id));
  const problem = useUnread(conversation, files);
  useEffect(() => {
    document.title = texts.title({ name: project.name });
  }, [project.name]);
  const isOpen = conversation.data !== undefined && files.data !== undefined;
  useEffect(() => {
    if (isOpen) tellHost({ type: 'ready', project_id: project.id });
  }, [isOpen, project.id]);
  if (conversation.data === undefined || files.data === undefined) {
    return problem === null ? <Skeleton /> : <UnreadNotice title={texts.ended.unread} problem={problem} />;
  }
  return (
    <OpenBuilder
      project={project}
      visitor={visitor}
      conversation={conversation.data}
      hasFiles={files.data.some(({ path }) => path.endsWith('.html'))}
    />
  );
}
