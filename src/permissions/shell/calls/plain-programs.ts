// Programs that start no program of their arguments. The arguments of all others are searched for the names that rules forbid.

const BUILTINS =
  '. : bg break caller cd chdir continue dirs disown exit fg help history logout popd pushd return shift suspend times ulimit umask';

const UTILITIES =
  'arch b2sum base32 base64 basename bzip2 cal cat chgrp chmod chown cksum cmp col colrm column comm cp csplit cut date dd df diff diff3 ' +
  'dir dircolors dirname du echo egrep expand expr factor false fgrep file fmt fold free getconf getent grep groups gunzip gzip head ' +
  'hexdump hostid hostname iconv id jq join kill killall last link ln locale logname look ls lsof lz4 md5 md5sum mkdir mkfifo mknod ' +
  'mktemp mv nl nproc numfmt od paste pathchk pgrep pidof ping pinky pkill pr printenv ps ptx pwd readlink realpath rev rm rmdir ' +
  'seq sha1sum sha224sum sha256sum sha384sum sha512sum shred shuf sleep stat strings stty sum sync tac tail tee touch tput tr tree true ' +
  'truncate tsort tty type uname unexpand uniq unlink unzip uptime users vdir wc whereis which who whoami xxd xz yes zcat zstd';

/** The arguments of these are checked, and they often contain names of programs that are not started. */
const CHECKED = 'git rg ag bat sort apt apt-get dpkg';

export const PLAIN_PROGRAMS: ReadonlySet<string> = new Set(`${BUILTINS} ${UTILITIES} ${CHECKED}`.split(' '));
