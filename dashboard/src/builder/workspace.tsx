import { useQuery } from '@tanstack/react-query';
import { lazy, type RefObject, Suspense, useEffect, useState } from 'react';
import { type Key, Tab, TabList, TabPanel, Tabs } from 'react-aria-components';
import { Skeleton } from '../components/feedback/skeleton.tsx';
import { Preview } from './preview/preview.tsx';
import type { Selected } from './preview/preview-frame.ts';
import { type Project, previewQuery } from './queries.ts';
import { texts } from './texts.ts';

const FilesTab = lazy(async () => ({ default: (await import('./files/files-tab.tsx')).FilesTab }));
const HistoryTab = lazy(async () => ({ default: (await import('./history/history-tab.tsx')).HistoryTab }));
const PublishTab = lazy(async () => ({ default: (await import('./site/publish-tab.tsx')).PublishTab }));

const tabs = ['preview', 'files', 'history', 'publish'] as const;
export type WorkTab = (typeof tabs)[number];

/** A preview that was looked up while it was empty is looked up again after 0.8 s. */
const firstPageMs = 900;

interface Props {
  readonly project: Project;
  /** True if the draft has files; `hasPreview` is true also while the first message is being worked on. */
  readonly hasFiles: boolean;
  readonly hasPreview: boolean;
  readonly frame: RefObject<HTMLIFrameElement | null>;
  /** A message is being worked on. */
  readonly isBusy: boolean;
  readonly tab: WorkTab;
  readonly onTab: (tab: WorkTab) => void;
  readonly compared: string | undefined;
  readonly onCompare: (revisionId: string | undefined) => void;
  readonly onSelect: (selected: Selected) => void;
  readonly onChanged: () => void;
}

/** True once there is something to preview. */
function useDelayed(hasPreview: boolean): boolean {
  const [isShown, setShown] = useState(hasPreview);
  useEffect(() => {
    if (!hasPreview) return;
    const timer = setTimeout(() => setShown(true), firstPageMs);
    return () => clearTimeout(timer);
  }, [hasPreview]);
  return isShown;
}

/** The site beside the conversation: seen, read, undone, published. */
export function Workspace({ project, hasFiles, hasPreview, frame, isBusy, tab, onTab, compared, onCompare, onSelect, onChanged }: Props) {
  const preview = useQuery(previewQuery(project.id));
  const isShown = useDelayed(hasPreview);
  return (
    <Tabs className="workspace" selectedKey={tab} onSelectionChange={(key: Key) => onTab(key as WorkTab)}>
      <TabList className="work-tabs" aria-label={texts.tabs.site}>
        {tabs.map((id) => (
          <Tab key={id} id={id} className="work-tab">
            {texts.tabs[id]}
          </Tab>
        ))}
      </TabList>
      {/* Stays mounted, so that the frame keeps its page while another tab is shown. */}
      <TabPanel id="preview" className="work-panel" shouldForceMount>
        <Preview
          projectId={project.id}
          url={isShown ? preview.data?.preview_url : undefined}
          frame={frame}
          isBusy={isBusy}
          onSelect={onSelect}
        />
      </TabPanel>
      <TabPanel id="files" className="work-panel">
        <Suspense fallback={<Skeleton />}>
          <FilesTab projectId={project.id} compared={compared} onCompare={onCompare} />
        </Suspense>
      </TabPanel>
      <TabPanel id="history" className="work-panel scrolls">
        <Suspense fallback={<Skeleton />}>
          <HistoryTab projectId={project.id} onChanged={onChanged} />
        </Suspense>
      </TabPanel>
      <TabPanel id="publish" className="work-panel scrolls">
        <Suspense fallback={<Skeleton />}>
          <PublishTab project={project} hasFiles={hasFiles} />
        </Suspense>
      </TabPanel>
    </Tabs>
  );
}
