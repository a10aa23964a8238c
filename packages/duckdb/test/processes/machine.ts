import { it } from "vitest";
import { sandboxing } from "../../src/processes/sandbox-layers.ts";
import { openUserIds, parseUserIds, type UserIds } from "../../src/processes/user-ids.ts";
import { examineUserIds } from "../../src/processes/user-layer.ts";

const userIds = parseUserIds("90000-90255");
/** True if the tests run as root, and other users can read Node.js and the packages. */
export const canChangeUser = process.geteuid?.() === 0 && (await examineUserIds(userIds)).canChangeUser;

/** Returns a test of a sandbox layer, which is skipped if the machine lacks the layer. */
export function onMachineWith(layer: string): typeof it {
  const isPresent = sandboxing().layers.some(({ name, isPresent }) => name === layer && isPresent);
  return (isPresent ? it : it.skip) as typeof it; // the machine lacks the layer
}

/** Returns user ids for processes as a service has them; undefined if processes cannot have other users here. */
export async function serviceUserIds(): Promise<UserIds | undefined> {
  return canChangeUser ? openUserIds(userIds) : undefined;
}

/** Test that needs root, because it starts processes of other users. */
export const asRoot = (canChangeUser ? it : it.skip) as typeof it; // not root, or the tree is closed to other users
