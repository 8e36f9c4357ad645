// Shows what goes on: a status line while the agent works, and a widget that counts tools.
import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';

export default function statusWidget(pi: ExtensionAPI) {
  const used = new Map<string, number>();
  pi.on('agent_start', (_event, ctx) => ctx.ui.setStatus('agent', 'working'));
  pi.on('tool_execution_end', (event, ctx) => {
    used.set(event.toolName, (used.get(event.toolName) ?? 0) + 1);
    ctx.ui.setWidget(
      'tools',
      [...used].map(([name, count]) => `${name}: ${count}`),
    );
  });
  pi.on('agent_end', (_event, ctx) => ctx.ui.setStatus('agent', undefined));
}
