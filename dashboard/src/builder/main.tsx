import './without-eval.ts';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { startTransition } from 'react';
import { I18nProvider } from 'react-aria-components';
import { createRoot } from 'react-dom/client';
import { ErrorBoundary } from '../components/feedback/error-boundary.tsx';
import { language } from '../texts/language.ts';
import { showTheme } from '../theme.ts';
import { BuilderLoader } from './builder-loader.tsx';
import { takeToken } from './credential.ts';
import { isPassing, retryDelayMs } from './requests.ts';
import '../styles/tokens.css';
import '../styles/base.css';
import '../styles/controls.css';
import '../styles/surfaces.css';
import '../styles/records.css';
import '../styles/overlays.css';
import '../styles/brand.css';
import './builder.css';

const maxRetries = 2;

/** Network and server errors are tried again; refusals are shown at once. */
const retry = (failures: number, error: unknown) => failures < maxRetries && isPassing(error);

takeToken();
// The embedding page may hand over a new token without loading the builder again.
addEventListener('hashchange', takeToken);
showTheme();
const queries = new QueryClient({ defaultOptions: { queries: { staleTime: 10_000, retry, retryDelay: retryDelayMs } } });
const root = createRoot(document.getElementById('root') as HTMLElement);
startTransition(() =>
  root.render(
    <I18nProvider locale={language}>
      <QueryClientProvider client={queries}>
        <ErrorBoundary>
          <BuilderLoader />
        </ErrorBoundary>
      </QueryClientProvider>
    </I18nProvider>,
  ),
);
