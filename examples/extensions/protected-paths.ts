// Blocks changes of some files by the write and edit tools.
import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';

const PROTECTED = ['.env', '.git/', 'node_modules/'];

export default function protectedPaths(pi: ExtensionAPI) {
  pi.on('tool_call', (event, ctx) => {
    if (event.toolName !== 'write' && event.toolName !== 'edit') return undefined;
    const path = String(event.input.path ?? '');
    const hit = PROTECTED.find((part) => path.includes(part));
    if (!hit) return undefined;
    ctx.ui.notify(`Blocked a change of ${path}`, 'warning');
    return { block: true, reason: `Path "${path}" is protected (${hit})` };
  });
}
