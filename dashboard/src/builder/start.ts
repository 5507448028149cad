/** The message that a builder sends by itself when it opens. */
export interface Start {
  readonly prompt: string;
  readonly model?: string;
}

const keyOf = (projectId: string) => `start ${projectId}`;

/** Kept for the builder that this tab opens next: after a click on "Build", never by an address alone. */
export function keepStart(projectId: string, start: Start): void {
  sessionStorage.setItem(keyOf(projectId), JSON.stringify(start));
}

/** Returns the start once: the one that was kept, else the prompt of the embed session. */
export function takeStart(projectId: string, prompt: string | null): Start | undefined {
  const kept = isEmbeddedElsewhere() ? null : sessionStorage.getItem(keyOf(projectId));
  if (kept === null) return prompt === null ? undefined : { prompt };
  sessionStorage.removeItem(keyOf(projectId));
  return JSON.parse(kept) as Start;
}

/** In a frame of another site storage may be refused. */
const isEmbeddedElsewhere = () => window.parent !== window;
