import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { StrictMode, Suspense, startTransition } from 'react';
import { I18nProvider } from 'react-aria-components';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router';
import { isMissing, isSuspension } from './api/problem.ts';
import { queryClient } from './api/query-client.ts';
import { sessionQuery } from './api/session.ts';
import { ErrorBoundary } from './components/feedback/error-boundary.tsx';
import { Skeleton } from './components/feedback/skeleton.tsx';
import { NotFoundPage } from './components/layout/not-found-page.tsx';
import { Pages } from './pages.tsx';
import { language } from './texts/language.ts';
import { texts } from './texts.ts';
import { showTheme } from './theme.ts';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/surfaces.css';
import './styles/records.css';
import './styles/overlays.css';

/** A suspension, and what does not exist, are shown to the user and are no fault of the page. */
const onCaughtError = (error: unknown) => {
  if (!isSuspension(error) && !isMissing(error)) console.error(error);
};

/** Shown until the session and the code of the page are there. */
function Opening() {
  const { failureReason } = useQuery({ ...sessionQuery, enabled: false });
  return <Skeleton failure={failureReason} text={texts.problem.signInAway} />;
}

showTheme();
const root = createRoot(document.getElementById('root') as HTMLElement, { onCaughtError });
// As a transition React renders in slices, between which a slow phone answers a touch.
startTransition(() =>
  root.render(
    <StrictMode>
      <I18nProvider locale={language}>
        <QueryClientProvider client={queryClient}>
          <BrowserRouter>
            <ErrorBoundary missing={<NotFoundPage />}>
              <Suspense fallback={<Opening />}>
                <Pages />
              </Suspense>
            </ErrorBoundary>
          </BrowserRouter>
        </QueryClientProvider>
      </I18nProvider>
    </StrictMode>,
  ),
);
