// The help text of `parley permissions`.

export const PERMISSIONS_HELP = `Usage: parley permissions [list] [--json]             show the mode and all rules, and where each comes from
       parley permissions add allow|ask|deny RULE     add a rule to the user's settings.json
       parley permissions remove [DECISION] RULE      remove a rule from that file
       parley permissions test CALL [--json]          say what happens with a call, and which rule decides

RULE is TOOL or TOOL(PATTERN). CALL is TOOL or TOOL(ARGUMENT) with a command, a path or a URL. Nothing is run. Quote both for the shell.

For \`list\` and \`test\`:
  --approval-mode MODE                     with this mode: read-only, always, ask, auto-edit, full
  --allow RULE, --deny RULE                with these rules, too
  --set KEY=VALUE, --trust, --no-trust     with the settings as they would be with these flags
  --cwd PATH                               in another working directory

Examples:
  parley permissions
  parley permissions add deny 'bash(git push)'
  parley permissions add allow 'edit(src/**)'
  parley permissions remove 'bash(git push)'
  parley permissions test 'bash(npm test && git push)'
  parley permissions test 'read(.env)' --json
`;
