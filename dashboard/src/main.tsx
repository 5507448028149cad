import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router';
import { isSuspension } from './api/problem.ts';
import { queryClient } from './api/query-client.ts';
import { ErrorBoundary } from './components/feedback/error-boundary.tsx';
import { Skeleton } from './components/feedback/skeleton.tsx';
import { Pages } from './pages.tsx';
import { showTheme } from './theme.ts';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/surfaces.css';
import './styles/records.css';
import './styles/overlays.css';

/** A suspension is shown to the user and is no fault of the page. */
const onCaughtError = (error: unknown) => {
  if (!isSuspension(error)) console.error(error);
};

showTheme();
createRoot(document.getElementById('root') as HTMLElement, { onCaughtError }).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <BrowserRouter>
        <ErrorBoundary>
          <Suspense fallback={<Skeleton />}>
            <Pages />
          </Suspense>
        </ErrorBoundary>
      </BrowserRouter>
    </QueryClientProvider>
  </StrictMode>,
);
