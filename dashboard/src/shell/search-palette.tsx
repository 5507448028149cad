import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useDeferredValue, useState } from 'react';
import { Autocomplete, Dialog, Header, Input, Menu, MenuItem, MenuSection, Modal, ModalOverlay, SearchField } from 'react-aria-components';
import { useNavigate } from 'react-router';
import { hasPermission } from '../api/permissions.ts';
import { clientsQuery, keysQuery, projectsQuery } from '../api/records.ts';
import { useSession } from '../api/session.ts';
import { clientName } from '../clients/client-status.tsx';
import { contains } from '../contains.ts';
import { texts } from '../texts.ts';
import type { NavigationItem } from './navigation.ts';

const t = texts.shell.search;
/** Results of one kind. */
const shown = 6;
const requestId = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

interface Found {
  /** The address of the page. */
  readonly to: string;
  readonly label: string;
  readonly hint?: string | null;
}

interface Group {
  readonly label: string;
  readonly found: readonly Found[];
}

interface Props {
  /** The pages that the role may open. */
  readonly pages: readonly NavigationItem[];
  readonly onClose: () => void;
}

/** Finds pages, projects, clients, API keys and a request by its id; Enter opens the first. */
export function SearchPalette({ pages, onClose }: Props) {
  const [text, setText] = useState('');
  const navigate = useNavigate();
  const { isSearching, groups } = useFound(text.trim(), pages);
  const open = (to: string) => {
    onClose();
    void navigate(to);
  };
  const onKeyDown = ({ key, currentTarget }: KeyboardEvent<HTMLInputElement>) => {
    if (key === 'Escape') return onClose();
    // Results that come late are not focused by themselves.
    const [first] = groups.flatMap(({ found }) => found);
    if (key === 'Enter' && first !== undefined && !currentTarget.getAttribute('aria-activedescendant')) open(first.to);
  };
  return (
    <ModalOverlay className="overlay palette-overlay" isOpen onOpenChange={onClose} isDismissable>
      <Modal className="modal palette">
        <Dialog className="palette-dialog" aria-label={t.title}>
          <Autocomplete inputValue={text} onInputChange={setText}>
            <SearchField aria-label={t.title} autoFocus>
              <Input className="input" placeholder={t.placeholder} onKeyDown={onKeyDown} />
            </SearchField>
            <Menu
              className="palette-results"
              aria-label={t.results}
              onAction={(to) => open(String(to))}
              renderEmptyState={() => <p className="soft small palette-none">{isSearching ? texts.loading : t.nothing}</p>}
            >
              {groups.map(({ label, found }) => (
                <MenuSection key={label}>
                  <Header className="palette-group">{label}</Header>
                  {found.map(({ to, label, hint }) => (
                    <MenuItem key={to} id={to} className="menu-item" textValue={label}>
                      <span>{label}</span>
                      {hint ? <span className="soft small">{hint}</span> : null}
                    </MenuItem>
                  ))}
                </MenuSection>
              ))}
            </Menu>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function useFound(text: string, pages: readonly NavigationItem[]) {
  const { role } = useSession();
  const q = useDeferredValue(text);
  const isAgency = hasPermission(role, 'seeOrganization');
  const projects = useQuery({ ...projectsQuery({ q, limit: shown }), enabled: q !== '' });
  const clients = useQuery({ ...clientsQuery(), enabled: isAgency });
  const keys = useQuery({ ...keysQuery(), enabled: hasPermission(role, 'manageKeys') });
  const matching = (all: readonly Found[]) =>
    all.filter(({ label, hint }) => contains(label, q) || contains(hint ?? '', q)).slice(0, shown);
  const records: Group[] = [
    { label: texts.pages.projects, found: (projects.data?.projects ?? []).map(({ id, name }) => ({ to: `/projects/${id}`, label: name })) },
    {
      label: texts.pages.clients,
      found: matching(
        (clients.data ?? []).map((client) => ({ to: `/clients/${client.id}`, label: clientName(client), hint: client.email })),
      ),
    },
    {
      label: texts.pages.keys,
      found: matching((keys.data ?? []).map(({ id, name, prefix }) => ({ to: `/keys#${id}`, label: name, hint: prefix }))),
    },
    {
      label: texts.pages.requests,
      found:
        requestId.test(q) && hasPermission(role, 'readRequests')
          ? [{ to: `/requests/${q}`, label: texts.problem.requestId({ id: q }) }]
          : [],
    },
  ];
  const allPages: Group = { label: t.pages, found: pages.map(({ to, label }) => ({ to, label })) };
  const ofPages: Group = { label: t.pages, found: matching(allPages.found) };
  const isSearching = q !== '' && projects.isPending;
  // Records come all at once: what is found first stays the one that Enter opens.
  const groups = q === '' ? [allPages] : [ofPages, ...(isSearching ? [] : records)];
  return { isSearching, groups: groups.filter(({ found }) => found.length > 0) };
}
