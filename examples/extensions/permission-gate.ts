// Asks the user before a dangerous shell command runs. It uses only the API of pi.
import { type ExtensionAPI, isToolCallEventType } from '@mariozechner/pi-coding-agent';

const DANGEROUS = [/\brm\s+(-\w*[rf]\w*\s+)+/, /\bsudo\b/, /\bgit\s+push\b.*--force/];

export default function permissionGate(pi: ExtensionAPI) {
  pi.on('tool_call', async (event, ctx) => {
    if (!isToolCallEventType('bash', event)) return undefined;
    const command = String(event.input.command ?? '');
    if (!DANGEROUS.some((pattern) => pattern.test(command))) return undefined;
    // Without a host that shows dialogs, the command is denied.
    if (!ctx.hasUI) return { block: true, reason: 'Dangerous command, and no user can approve it' };
    const allowed = await ctx.ui.confirm('Dangerous command', command, { timeout: 60_000 });
    return allowed ? undefined : { block: true, reason: 'The user refused the command' };
  });
}
