interface Warning {
  readonly path: string;
  readonly line?: number | undefined;
  readonly message: string;
}

/** What visitors of a site that was just published may miss. */
export const PublishWarnings = ({ title, warnings }: { title: string; warnings: readonly Warning[] }) => (
  <section className="notice warn publish-warnings" aria-label={title}>
    <p role="status">{title}</p>
    <ul className="small">
      {warnings.map(({ path, line, message }) => (
        <li key={`${path}:${line ?? ''} ${message}`}>
          <b>{line === undefined ? path : `${path}:${line}`}</b> {message}
        </li>
      ))}
    </ul>
  </section>
);
