import { texts } from '../texts.ts';
import { agentSnippets } from './agent-snippets.ts';

const t = texts.agents;

/** How one kind of agent is connected: what to do, and what to copy. */
export interface AgentGuide {
  readonly id: string;
  readonly label: string;
  readonly steps: readonly string[];
  readonly snippet: string;
  /** Opens the agent, which then asks whether to add the server. */
  readonly install?: string;
}

/** The guides for the common agents, with the address of this platform's MCP server. */
export function agentGuides(url: string): readonly AgentGuide[] {
  const snippets = agentSnippets(url);
  return [
    { id: 'claude', label: 'Claude', steps: t.guides.claude, snippet: snippets.claude },
    { id: 'claude-code', label: 'Claude Code', steps: t.guides.claudeCode, snippet: snippets['claude-code'] },
    { id: 'chatgpt', label: 'ChatGPT', steps: t.guides.chatgpt, snippet: snippets.chatgpt },
    { id: 'cursor', label: 'Cursor', steps: t.guides.cursor, snippet: snippets.cursor, install: '/docs/install/cursor' },
    { id: 'vscode', label: 'VS Code', steps: t.guides.vscode, snippet: snippets.vscode, install: '/docs/install/vscode' },
    { id: 'typescript', label: t.typescript, steps: t.guides.sdk, snippet: snippets.typescript },
    { id: 'python', label: t.python, steps: t.guides.sdk, snippet: snippets.python },
    { id: 'go', label: t.go, steps: t.guides.sdk, snippet: snippets.go },
  ];
}
