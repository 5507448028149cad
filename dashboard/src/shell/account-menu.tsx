import { Check, ChevronsUpDown } from 'lucide-react';
import { useState } from 'react';
import { Button, Menu, MenuItem, MenuTrigger, Popover, Separator } from 'react-aria-components';
import { useNavigate } from 'react-router';
import { useSession } from '../api/session.ts';
import { useSignOut } from '../api/use-sign-out.ts';
import { texts } from '../texts.ts';
import { chooseTheme, chosenTheme, type Theme } from '../theme.ts';

const themes: readonly Theme[] = ['system', 'light', 'dark'];

/** The signed-in user's menu: settings, theme and sign-out. */
export function AccountMenu() {
  const { account } = useSession();
  const [theme, setTheme] = useState(chosenTheme);
  const navigate = useNavigate();
  const signOut = useSignOut();

  function act(key: string) {
    if (key === 'settings') void navigate('/account');
    else if (key === 'sign-out') void signOut();
    else {
      chooseTheme(key as Theme);
      setTheme(key as Theme);
    }
  }

  return (
    <MenuTrigger>
      <Button className="switcher">
        <span className="monogram round" aria-hidden>
          {(account.name ?? account.email).charAt(0).toUpperCase()}
        </span>
        <span className="two-lines">
          <span>{account.name ?? account.email}</span>
          <span>{account.name === null ? '' : account.email}</span>
        </span>
        <ChevronsUpDown size={15} aria-hidden />
        <span className="visually-hidden">{texts.shell.account}</span>
      </Button>
      <Popover className="popover" placement="top start">
        <Menu aria-label={texts.shell.account} onAction={(key) => act(String(key))}>
          <MenuItem id="settings" className="menu-item">
            {texts.shell.settings}
          </MenuItem>
          <Separator className="menu-separator" />
          {themes.map((id) => (
            <MenuItem key={id} id={id} className="menu-item" textValue={texts.shell.theme[id]}>
              <span>{texts.shell.theme[id]}</span>
              {id === theme ? <Check size={15} aria-hidden /> : null}
            </MenuItem>
          ))}
          <Separator className="menu-separator" />
          <MenuItem id="sign-out" className="menu-item">
            {texts.shell.signOut}
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
