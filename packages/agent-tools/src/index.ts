export { AgentSwitches } from './agent-switches.ts';
export { type PreparedTool, resultOf, tools } from './agent-tool.ts';
export { callTool, toolShare } from './call-tool.ts';
