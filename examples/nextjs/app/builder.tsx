'use client';

import Script from 'next/script';
import { type FormEvent, useRef, useState } from 'react';

interface Webkiln {
  embed(
    element: HTMLElement,
    options: {
      url: string;
      onReady?: () => void;
      onPublished?: (event: { url: string }) => void;
      onError?: (error: { code: string; message: string }) => void;
    },
  ): { remove(): void };
}

/** The builder, for the user who is signed in to this app. `platform` is its origin. */
export function Builder({ platform }: { platform: string }) {
  const frame = useRef<HTMLDivElement>(null);
  const [news, setNews] = useState('');

  async function open(prompt?: string): Promise<void> {
    setNews('Opening the builder …');
    const headers = { 'content-type': 'application/json' };
    const response = await fetch('/session', { method: 'POST', headers, body: JSON.stringify({ prompt }) });
    const { builder_url: url, error } = await response.json();
    const { Webkiln } = window as { Webkiln?: Webkiln };
    if (error !== undefined || Webkiln === undefined || frame.current === null) return setNews(error ?? 'The builder is not loaded yet.');
    Webkiln.embed(frame.current, {
      url,
      onReady: () => setNews('The builder is ready.'),
      onPublished: (event) => setNews(`Your website is live at ${event.url}`),
      onError: ({ code, message }) => (code === 'session_ended' ? void open() : setNews(message)),
    });
  }

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const prompt = String(new FormData(event.currentTarget).get('prompt')).trim();
    open(prompt || undefined).catch(() => setNews('This page cannot reach its server. Try again.'));
  }

  return (
    <main style={{ padding: '1rem 1.5rem' }}>
      <Script src={`${platform}/embed.js`} />
      <form onSubmit={submit} style={{ display: 'flex', gap: '0.75rem' }}>
        <input name="prompt" aria-label="Your business" placeholder="A bakery in Lyon with a menu" maxLength={5000} style={{ flex: 1 }} />
        <button type="submit">Build a website</button>
      </form>
      <p role="status">{news}</p>
      <div ref={frame} style={{ minHeight: '48rem' }} />
    </main>
  );
}
