// Where services outside the sandbox have their sockets.

/** Directories with sockets of services that run outside the sandbox. */
export const SOCKET_DIRECTORIES: readonly string[] = ['/run', '/var/run'];

/** What programs need below `SOCKET_DIRECTORIES`: links to the installed programs of NixOS. */
export const KEPT_PATHS: readonly string[] = ['/run/current-system', '/run/booted-system', '/run/opengl-driver'];

/** Environment variables whose value is the path of a socket, alone or as `unix://` or `unix:path=`. */
export const SOCKET_VARIABLES: readonly string[] = [
  ...[
    'SSH_AUTH_SOCK',
    'DOCKER_HOST',
    'CONTAINER_HOST',
    'CONTAINERD_ADDRESS',
    'DBUS_SESSION_BUS_ADDRESS',
    'DBUS_SYSTEM_BUS_ADDRESS',
  ],
  ...[
    'GPG_AGENT_INFO',
    'XDG_RUNTIME_DIR',
    'PODMAN_SOCK',
    'BUILDKIT_HOST',
    'TMUX',
    'VSCODE_IPC_HOOK_CLI',
    'VSCODE_GIT_IPC_HANDLE',
  ],
];
