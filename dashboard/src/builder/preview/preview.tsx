import { ExternalLink, Monitor, MousePointerClick, Pencil, RotateCw, Smartphone, Tablet } from 'lucide-react';
import { type RefObject, useEffect, useState } from 'react';
import { Button, ToggleButton, ToggleButtonGroup } from 'react-aria-components';
import { texts } from '../texts.ts';
import { askPreview, markLoaded, type Selected, selectedBy } from './preview-frame.ts';
import { TypingBar } from './typing-bar.tsx';
import { useTyping } from './use-typing.ts';

const t = texts.preview;
const widths = [
  ['full', Monitor],
  ['tablet', Tablet],
  ['phone', Smartphone],
] as const;
type Width = (typeof widths)[number][0];

interface Props {
  readonly projectId: string;
  /** Undefined while there is nothing to show. */
  readonly url: string | undefined;
  readonly frame: RefObject<HTMLIFrameElement | null>;
  /** A message is being worked on: what is typed would be in its way. */
  readonly isBusy: boolean;
  readonly onSelect: (selected: Selected) => void;
}

/** The draft in a frame of its own origin. Scripts of the site run there, and reach this page by messages alone. */
export function Preview({ projectId, url, frame, isBusy, onSelect }: Props) {
  const [width, setWidth] = useState<Width>('full');
  const [isPicking, setPicking] = useState(false);
  const [loads, setLoads] = useState(0);
  const typing = useTyping({ projectId, frame });
  const isTyping = typing.page !== undefined;
  const { stop } = typing;

  useEffect(() => {
    if (isBusy && isTyping) stop();
  }, [isBusy, isTyping, stop]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a page that was loaded anew must be told again
  useEffect(() => askPreview(frame.current, { type: 'highlight', on: isPicking }), [frame, isPicking, loads]);
  useEffect(() => {
    if (!isPicking) return;
    const onMessage = (event: MessageEvent) => {
      const selected = selectedBy(event, frame.current);
      if (selected === undefined) return;
      setPicking(false);
      onSelect(selected);
    };
    addEventListener('message', onMessage);
    return () => removeEventListener('message', onMessage);
  }, [isPicking, frame, onSelect]);

  if (url === undefined) {
    return (
      <div className="preview-empty">
        <div className="preview-sketch" aria-hidden>
          <span />
          <span />
          <span />
          <span />
        </div>
        <h2>{t.empty}</h2>
        <p className="soft">{t.emptyText}</p>
      </div>
    );
  }
  return (
    <div className="preview">
      <div className="toolbar">
        <ToggleButtonGroup
          className="segments"
          aria-label={t.width}
          selectedKeys={[width]}
          onSelectionChange={([chosen]) => setWidth(chosen as Width)}
          disallowEmptySelection
        >
          {widths.map(([id, Icon]) => (
            <ToggleButton key={id} id={id} aria-label={t.widths[id]}>
              <Icon size={15} aria-hidden />
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
        <ToggleButton
          className="button compact pick"
          isSelected={isPicking}
          isDisabled={isTyping}
          onChange={setPicking}
          aria-label={t.pick}
        >
          <MousePointerClick size={15} aria-hidden />
        </ToggleButton>
        <ToggleButton
          className="button compact pick"
          isSelected={isTyping}
          isDisabled={isPicking || isBusy}
          onChange={(isOn) => (isOn ? typing.start() : stop())}
          aria-label={t.edit}
        >
          <Pencil size={15} aria-hidden />
        </ToggleButton>
        <span className="soft small" role="status">
          {isPicking ? t.picking : ''}
        </span>
        <Button
          className="button icon quiet"
          aria-label={t.reload}
          onPress={() => {
            if (frame.current !== null) frame.current.src = url;
          }}
        >
          <RotateCw size={15} aria-hidden />
        </Button>
        <a className="button icon quiet" href={url} target="_blank" rel="noreferrer" aria-label={t.open}>
          <ExternalLink size={15} aria-hidden />
        </a>
      </div>
      {isTyping ? <TypingBar typing={typing} /> : null}
      <div className={`preview-place ${width}`}>
        <iframe
          key={typing.shown.frame}
          ref={frame}
          title={t.frame}
          src={`${url}${typing.shown.address}`}
          sandbox="allow-scripts allow-same-origin allow-forms allow-popups"
          referrerPolicy="no-referrer"
          onLoad={({ currentTarget }) => {
            typing.onLoaded(markLoaded(currentTarget));
            setLoads((count) => count + 1);
          }}
        />
      </div>
    </div>
  );
}
