// Asks the person before a dangerous shell command runs. Written as an extension for pi would be: nothing here knows Parley.
import { type ExtensionAPI, isToolCallEventType } from '@mariozechner/pi-coding-agent';

const DANGEROUS = [/\brm\s+(-\w*[rf]\w*\s+)+/, /\bsudo\b/, /\bgit\s+push\b.*--force/];

export default function permissionGate(pi: ExtensionAPI) {
  pi.on('tool_call', async (event, ctx) => {
    if (!isToolCallEventType('bash', event)) return undefined;
    const command = String(event.input.command ?? '');
    if (!DANGEROUS.some((pattern) => pattern.test(command))) return undefined;
    // Where nobody can be asked, nobody has agreed.
    if (!ctx.hasUI) return { block: true, reason: 'Dangerous command, and nobody is there to allow it' };
    const allowed = await ctx.ui.confirm('Dangerous command', command, { timeout: 60_000 });
    return allowed ? undefined : { block: true, reason: 'The user refused the command' };
  });
}
