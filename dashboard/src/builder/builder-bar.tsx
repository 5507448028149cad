import { Button, ToggleButton, ToggleButtonGroup } from 'react-aria-components';
import { BrandLogo } from '../brand/brand-logo.tsx';
import logo from '../brand/logo.svg';
import { isEmbedded } from './credential.ts';
import type { Project, Visitor } from './queries.ts';
import { texts } from './texts.ts';

const panes = ['chat', 'site'] as const;
type Pane = (typeof panes)[number];

interface Props {
  readonly project: Project;
  readonly brand: Visitor['brand'];
  readonly pane: Pane;
  readonly onPane: (pane: Pane) => void;
  readonly onPublish: () => void;
}

/** The brand, the project, what a narrow window shows, and publishing. */
export function BuilderBar({ project, brand, pane, onPane, onPublish }: Props) {
  const mark = brand === null ? <img src={logo} width={22} height={22} alt="" /> : <BrandLogo name={brand.name} logo={brand.logo} />;
  return (
    <header className="builder-bar">
      {isEmbedded() ? (
        <span className="builder-mark">{mark}</span>
      ) : (
        <a className="builder-mark" href={`/projects/${project.id}`} aria-label={texts.back({ name: project.name })}>
          {mark}
        </a>
      )}
      <span className="builder-name">{project.name}</span>
      <ToggleButtonGroup
        className="segments panes"
        aria-label={texts.tabs.label}
        selectedKeys={[pane]}
        onSelectionChange={([chosen]) => onPane(chosen as Pane)}
        disallowEmptySelection
      >
        {panes.map((id) => (
          <ToggleButton key={id} id={id}>
            {texts.tabs[id]}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
      <Button className="button primary compact" onPress={onPublish}>
        {texts.tabs.publish}
      </Button>
    </header>
  );
}
