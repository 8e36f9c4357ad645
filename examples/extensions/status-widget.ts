// Shows a status line while the agent is running, and a widget that counts tool calls.
import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';

export default function statusWidget(pi: ExtensionAPI) {
  const counts = new Map<string, number>();
  pi.on('agent_start', (_event, ctx) => ctx.ui.setStatus('agent', 'working'));
  pi.on('tool_execution_end', (event, ctx) => {
    counts.set(event.toolName, (counts.get(event.toolName) ?? 0) + 1);
    ctx.ui.setWidget(
      'tools',
      [...counts].map(([name, count]) => `${name}: ${count}`),
    );
  });
  pi.on('agent_end', (_event, ctx) => ctx.ui.setStatus('agent', undefined));
}
