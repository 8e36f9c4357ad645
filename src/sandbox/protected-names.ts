// Names of files that start programs or configure agents. Commands in the sandbox may not change them, also inside writable directories.

/** Protected at the top of every writable directory. `.git` is handled separately: most of it must stay writable. */
export const PROTECTED_NAMES: readonly string[] = [
  ...['.parley', '.pi', '.omp', '.claude', '.mcp.json', '.vscode'],
  ...['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.profile'],
  ...['.zshrc', '.zshenv', '.zprofile', '.zlogin', '.zlogout'],
];

/** Protected in the home directory only, when it or one of its directories is writable. */
export const PROTECTED_HOME_NAMES: readonly string[] = [
  ...PROTECTED_NAMES,
  ...['.bash_aliases', '.bashrc.d', '.cshrc', '.tcshrc', '.login', '.logout', '.kshrc', '.mkshrc', '.inputrc'],
  ...[
    '.oh-my-zsh',
    '.zsh',
    '.config/fish',
    '.config/zsh',
    '.config/nushell',
    '.config/powershell',
    '.config/environment.d',
  ],
  ...['.gitconfig', '.config/git', '.ripgreprc', '.npmrc', '.config/pip', '.cargo/config', '.cargo/config.toml'],
  ...['.xprofile', '.xinitrc', '.xsession', '.xsessionrc', '.xserverrc', '.pam_environment'],
  ...['.config/autostart', '.config/systemd', '.local/share/systemd', '.local/share/applications', '.local/bin', 'bin'],
  ...['.tmux.conf', '.config/tmux', '.screenrc', '.vimrc', '.vim', '.config/nvim', '.emacs', '.emacs.d', '.exrc'],
  ...['.direnvrc', '.config/direnv', '.gdbinit', '.lldbinit', '.pythonrc', '.pythonrc.py', '.node_repl_history'],
  ...['Library/LaunchAgents'],
];

/** Files of a git directory that make git run programs. A missing one must not be created either. */
export const GIT_PROGRAM_CONFIGURATION: readonly { readonly name: string; readonly content: string | undefined }[] = [
  // `content` of a file that stands for a missing one; `undefined`: a directory.
  { name: 'hooks', content: undefined },
  { name: 'config', content: '' },
  // Read only with extensions.worktreeConfig, which the protected configuration may contain.
  { name: 'config.worktree', content: '' },
  // Names the directory that contains the configuration. A dot stands for the directory itself, which is what git uses without the file.
  { name: 'commondir', content: '.\n' },
];
