import type { ToolCallRepairFunction, ToolSet } from 'ai';

const fence = '```';
/** How servers write that a tool has no arguments. */
const nothing = new Set(['', 'null', 'none', 'undefined', '""', '[]']);

/** The arguments without what servers put around them: a fence, or quotation marks of a text that holds them. */
function bare(input: string): string {
  const trimmed = input.trim();
  const isFenced = trimmed.length > 2 * fence.length && trimmed.startsWith(fence) && trimmed.endsWith(fence);
  const text = isFenced ? trimmed.slice(fence.length, -fence.length).replace(/^\w*/, '').trim() : trimmed;
  if (nothing.has(text.toLowerCase())) return '{}';
  if (!text.startsWith('"')) return text;
  try {
    const inner: unknown = JSON.parse(text);
    return typeof inner === 'string' ? bare(inner) : text;
  } catch {
    return text;
  }
}

/**
 * A call of a tool as it was meant: arguments without what is around them, and a name without the namespace or the
 * special tokens that some servers leave on it ("functions.write_file", "write_file<|channel|>"). Null if there is no
 * other reading.
 */
export const repairToolCall: ToolCallRepairFunction<ToolSet> = async ({ toolCall, tools }) => {
  const words = toolCall.toolName.split(/[^\w-]+/);
  const toolName = words.find((word) => word in tools) ?? toolCall.toolName;
  const input = bare(toolCall.input);
  return toolName === toolCall.toolName && input === toolCall.input ? null : { ...toolCall, toolName, input };
};
