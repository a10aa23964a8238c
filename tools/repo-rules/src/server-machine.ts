import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { root } from "./tree.ts";

/**
 * Prepares file systems that only the script and its children see: `/opt` with the command line of the checkout, where
 * the guide installs it, an empty `/var`, and a copy of `/etc`. A script stands in for `systemctl`.
 */
const PREPARE = `
set -eu
mkdir bin etc opt
cp --archive /etc/. etc
touch bin/node && mount --bind "$NODE" bin/node
mkdir -p opt/quern/clone opt/quern/service/node_modules/.bin
mount --rbind "$CHECKOUT" opt/quern/clone
ln -s ../../../clone/packages/cli/bin/quern.js opt/quern/service/node_modules/.bin/quern
cat > bin/systemctl <<'END'
#!/bin/sh
if [ "$1" = stop ]; then
  kill "$(cat /var/service.pid)"
  while kill -0 "$(cat /var/service.pid)" 2> /dev/null; do sleep 0.1; done
else
  install --directory --owner=quern --group=quern --mode=0700 /var/lib/quern
  umask 077
  setpriv --reuid=quern --regid=quern --clear-groups $EXEC_START > /var/service.log 2>&1 &
  echo $! > /var/service.pid
  until grep -q listening /var/service.log; do kill -0 "$(cat /var/service.pid)" || { cat /var/service.log >&2; exit 1; }; sleep 0.1; done
fi
END
chmod +x bin/systemctl
mount --rbind opt /opt
mount --rbind bin /usr/local/bin
mount --bind etc /etc
mount -t tmpfs tmpfs /var
mkdir /var/lib /var/backups
export PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin
trap 'kill "$(cat /var/service.pid)"' EXIT
cd /
`;

/**
 * Returns true if this user can mount folders that other processes do not see, and all users can read the checkout, as
 * they can where the guide installs the service.
 */
export const hasServerMachine = (): boolean =>
  process.getuid?.() === 0 &&
  (statSync(root).mode & 0o005) === 0o005 &&
  spawnSync("unshare", ["--mount", "mount", "-t", "tmpfs", "tmpfs", "/opt"]).status === 0;

interface Started {
  /** `ExecStart` of the unit. */
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Runs a script as root of a machine on which the guide's service can be installed. Returns what it prints. */
export function onServerMachine(work: string, script: string, { command, env }: Started): string {
  const { status, stdout, stderr } = spawnSync("unshare", ["--mount", "sh", "-c", `${PREPARE}${script}`], {
    cwd: work,
    encoding: "utf8",
    env: { ...process.env, ...env, NODE: process.execPath, CHECKOUT: root, EXEC_START: command },
  });
  if (status !== 0) throw new Error(`the script ended with ${status}: ${stderr}${stdout}`);
  return stdout;
}
