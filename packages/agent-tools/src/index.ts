export { AgentReads, connectionOf } from './agent-reads.ts';
export { AgentSwitches } from './agent-switches.ts';
export { allPrepared, type PreparedTool, servedBy, tools } from './agent-tool.ts';
export { callTool, toolShare } from './call-tool.ts';
export { callOperation, read } from './run-operation.ts';
export { validated } from './tool-arguments.ts';
export { mayEverCall, ToolSelection } from './tool-selection.ts';
