// What tools must not read and must not change, as data. The path policy of the file tools and the sandbox use it. Pure.

/** Protected in every writable directory. Directories are protected with everything in them. For `.git` see `GIT_CONTROL_NAMES`. */
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

/** In a git directory, created by the sandbox. */
export const GIT_PLACEHOLDER_NAME = 'parley-sandbox';

/** In a git directory: they make git run programs, or name the directory in which it finds such files. */
export const GIT_CONTROL_NAMES: readonly string[] = [
  ...['hooks', 'config', 'config.worktree', 'commondir', 'gitdir'],
  // Has the marks of the processes that use `commondir` and `config.worktree` as placeholders.
  GIT_PLACEHOLDER_NAME,
];

/** Relative to the home directory. Directories of agents that file tools partly need are in `AGENT_DIRECTORIES`. */
export const SECRET_HOME_PATHS: readonly string[] = [
  ...['.codex', '.gemini', '.claude.json', '.config/opencode'],
  ...[
    '.claude/.credentials.json',
    '.claude/projects',
    '.claude/history.jsonl',
    '.local/share/opencode',
    '.config/github-copilot',
    '.cursor',
    '.continue',
    '.config/goose',
  ],
  ...[
    '.ssh',
    '.gnupg',
    '.pki',
    '.password-store',
    '.local/share/keyrings',
    '.local/share/kwalletd',
    '.kde/share/apps/kwallet',
  ],
  ...[
    '.1password',
    '.config/1Password',
    '.config/op',
    '.config/Bitwarden',
    '.config/Bitwarden CLI',
    '.config/keepassxc',
  ],
  ...[
    '.bitwarden-ssh-agent.sock',
    '.config/sops',
    '.config/age',
    '.vault-token',
    '.local/share/pass',
    '.config/rclone',
  ],
  ...[
    '.aws',
    '.azure',
    '.kube',
    '.config/gcloud',
    '.boto',
    '.s3cfg',
    '.oci',
    '.config/doctl',
    '.config/hcloud',
    '.config/linode-cli',
  ],
  ...[
    '.config/heroku',
    '.config/netlify',
    '.config/configstore',
    '.fly',
    '.config/flyctl',
    '.vercel',
    '.config/vercel',
  ],
  ...[
    '.local/share/com.vercel.cli',
    '.wrangler',
    '.config/.wrangler',
    '.terraform.d/credentials.tfrc.json',
    '.terraformrc',
    '.pulumi/credentials.json',
    '.databrickscfg',
  ],
  ...[
    '.snowflake',
    '.config/snowflake',
    '.config/stripe',
    '.supabase',
    '.config/ngrok',
    '.ngrok2',
    '.config/cloudflared',
    '.cloudflared',
  ],
  ...[
    '.docker',
    '.config/containers/auth.json',
    '.local/share/containers',
    '.colima',
    '.lima',
    '.orbstack',
    '.rd',
    '.minikube',
    '.config/helm',
  ],
  ...['.netrc', '.authinfo', '.authinfo.gpg', '.git-credentials', '.config/git/credentials', '.git-credential-cache'],
  ...['.cache/git/credential', '.config/gh', '.config/hub', '.config/glab-cli', '.config/tea', '.gitcookies'],
  ...[
    '.npmrc',
    '.config/npm',
    '.yarnrc',
    '.yarnrc.yml',
    '.config/pnpm',
    '.bunfig.toml',
    '.pypirc',
    '.config/pypoetry/auth.toml',
  ],
  ...[
    '.cargo/credentials',
    '.cargo/credentials.toml',
    '.gem/credentials',
    '.local/share/gem/credentials',
    '.bundle/config',
  ],
  ...[
    '.m2/settings.xml',
    '.m2/settings-security.xml',
    '.gradle/gradle.properties',
    '.nuget/NuGet/NuGet.Config',
    '.composer/auth.json',
  ],
  ...[
    '.config/composer/auth.json',
    '.hex/hex.config',
    '.huggingface',
    '.cache/huggingface/token',
    '.cache/huggingface/stored_tokens',
  ],
  ...['.kaggle', '.config/wandb', '.pgpass', '.my.cnf', '.mylogin.cnf', '.dbshell', '.mongorc.js', '.config/psql'],
  ...[
    '.Xauthority',
    '.ICEauthority',
    '.config/remmina',
    '.local/share/remmina',
    '.config/filezilla',
    '.config/FileZilla',
    '.vnc',
  ],
  ...[
    '.bash_history',
    '.zsh_history',
    '.zhistory',
    '.histfile',
    '.sh_history',
    '.history',
    '.local/share/fish/fish_history',
  ],
  ...[
    '.python_history',
    '.node_repl_history',
    '.psql_history',
    '.mysql_history',
    '.sqlite_history',
    '.rediscli_history',
    '.lesshst',
    '.viminfo',
  ],
  ...[
    '.irb_history',
    '.local/state/bash',
    '.local/state/zsh',
    '.local/share/powershell',
    '.config/nushell/history.txt',
  ],
  ...[
    '.mozilla',
    '.thunderbird',
    '.librewolf',
    '.waterfox',
    '.zen',
    '.floorp',
    '.config/google-chrome',
    '.config/google-chrome-beta',
  ],
  ...[
    '.config/google-chrome-unstable',
    '.config/chromium',
    '.config/BraveSoftware',
    '.config/microsoft-edge',
    '.config/microsoft-edge-beta',
  ],
  ...[
    '.config/microsoft-edge-dev',
    '.config/opera',
    '.config/opera-beta',
    '.config/vivaldi',
    '.config/yandex-browser',
    '.config/net.imput.helium',
  ],
  ...[
    '.config/Signal',
    '.config/Slack',
    '.config/discord',
    '.config/Element',
    '.local/share/TelegramDesktop',
    '.config/evolution',
  ],
  ...[
    '.local/share/evolution',
    '.local/share/gnome-online-accounts',
    '.config/goa-1.0',
    '.electrum',
    '.bitcoin',
    '.ethereum',
    '.config/solana',
  ],
  ...[
    'snap/firefox',
    'snap/chromium',
    'snap/brave',
    'snap/opera',
    'snap/thunderbird',
    'snap/bitwarden',
    'snap/gh',
    'snap/aws-cli',
  ],
  ...['.var/app'],
  // macOS.
  ...[
    'Library/Keychains',
    'Library/Application Support/Google/Chrome',
    'Library/Application Support/Firefox',
    'Library/Cookies',
  ],
  ...[
    'Library/Application Support/BraveSoftware',
    'Library/Application Support/Chromium',
    'Library/Application Support/Microsoft Edge',
  ],
  ...[
    'Library/Application Support/Arc',
    'Library/Application Support/com.operasoftware.Opera',
    'Library/Application Support/Vivaldi',
  ],
  ...[
    'Library/Safari',
    'Library/Containers/com.apple.Safari',
    'Library/Messages',
    'Library/Mail',
    'Library/Group Containers',
  ],
  ...[
    'Library/Application Support/Signal',
    'Library/Application Support/Slack',
    'Library/Application Support/1Password',
  ],
];

/** Absolute paths that only root can read on most systems. They matter when the agent runs as root. */
export const SECRET_SYSTEM_PATHS: readonly string[] = [
  ...[
    '/etc/shadow',
    '/etc/shadow-',
    '/etc/gshadow',
    '/etc/gshadow-',
    '/etc/sudoers',
    '/etc/sudoers.d',
    '/etc/ssl/private',
  ],
  ...[
    '/etc/ssh/ssh_host_rsa_key',
    '/etc/ssh/ssh_host_ecdsa_key',
    '/etc/ssh/ssh_host_ed25519_key',
    '/etc/kubernetes',
    '/etc/rancher',
  ],
  ...['/etc/NetworkManager/system-connections', '/etc/wireguard', '/etc/docker/key.json', '/etc/krb5.keytab'],
  ...['/var/lib/docker', '/var/lib/containerd', '/var/lib/kubelet', '/var/lib/lxd', '/var/lib/incus', '/var/snap/lxd'],
];

/** Relative to the home directory. They contain secrets, sessions of all projects, and also skills, which file tools may read. */
export const AGENT_DIRECTORIES: readonly string[] = ['.parley', '.pi', '.omp'];

/** In an agent directory. They may contain keys. `serve` has the token of the server, by which a call could approve itself. */
const AGENT_KEY_FILES = [
  'serve',
  'auth.json',
  'models.json',
  'mcp.json',
  'agent/auth.json',
  'agent/models.json',
  'agent/mcp.json',
];

/** For file tools. `agentDirectory` is the user's Parley directory. */
export function listSecretPaths(home: string, agentDirectory: string): string[] {
  const agentDirectories = [...AGENT_DIRECTORIES.map((name) => `${home}/${name}`), agentDirectory];
  return [
    ...SECRET_SYSTEM_PATHS,
    ...SECRET_HOME_PATHS.map((path) => `${home}/${path}`),
    ...agentDirectories.flatMap((directory) => AGENT_KEY_FILES.map((name) => `${directory}/${name}`)),
  ];
}

/** Characters that HFS+ ignores in file names: `.g\u200cit` opens `.git`. */
const IGNORED_CHARACTERS = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

/**
 * Equal for all spellings that some file system treats as the same name: other case, composed and decomposed accents. Only for
 * comparing with what is forbidden: on most systems it makes different names equal.
 */
export function foldSpelling(path: string): string {
  if (/^[\x20-\x7e]*$/.test(path)) return path.toLowerCase();
  // First to upper case: the long s has no lower case, and its upper case is S.
  return path.replace(IGNORED_CHARACTERS, '').normalize('NFKC').toUpperCase().toLowerCase();
}

const FOLDED_NAMES = PROTECTED_NAMES.map((name) => foldSpelling(name));

/** `relativePath` is relative to a writable root. Returns the name that protects it, at any depth. */
export function findProtectedName(relativePath: string): string | undefined {
  const parts = foldSpelling(relativePath).split('/').filter(Boolean);
  return parts.find((part) => FOLDED_NAMES.includes(part)) ?? findGitControlFile(parts);
}

/**
 * The file `.git` of a worktree or submodule names the directory with the hooks. Inside `.git` there are further directories with
 * hooks and configuration: `modules` and `worktrees`.
 */
function findGitControlFile(parts: readonly string[]): string | undefined {
  const git = parts.indexOf('.git');
  if (git < 0) return undefined;
  if (git === parts.length - 1) return '.git';
  const control = parts.slice(git + 1).find((part) => GIT_CONTROL_NAMES.includes(part));
  return control && `.git/${control}`;
}
