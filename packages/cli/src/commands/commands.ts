import type { Command, RouteMap } from "@stricli/core";
import type { Context } from "../command-function.ts";
import { auditRoute } from "./audit/command.ts";
import { cancelCommand } from "./cancel/command.ts";
import { completionCommand } from "./completion/command.ts";
import { configurationCommand } from "./configuration/command.ts";
import { conformCommand } from "./conform/command.ts";
import { conformClientCommand } from "./conform-client/command.ts";
import { describeCommand } from "./describe/command.ts";
import { doctorCommand } from "./doctor/command.ts";
import { eraseCommand } from "./erase/command.ts";
import { explainCommand } from "./explain/command.ts";
import { keysRoute } from "./keys/command.ts";
import { loginCommand } from "./login/command.ts";
import { logoutCommand } from "./logout/command.ts";
import { mcpCommand } from "./mcp/command.ts";
import { migrateRoute } from "./migrate/command.ts";
import { migrateStoreCommand } from "./migrate-store/command.ts";
import { mockCommand } from "./mock/command.ts";
import { profilesRoute } from "./profiles/command.ts";
import { queryCommand } from "./query/command.ts";
import { resultCommand } from "./result/command.ts";
import { runsRoute } from "./runs/command.ts";
import { serveCommand } from "./serve/command.ts";
import { shellCommand } from "./shell/command.ts";
import { sourcesRoute } from "./sources/command.ts";
import { summarizeCommand } from "./summarize/command.ts";
import { tablesCommand } from "./tables/command.ts";
import { tenantsRoute } from "./tenants/command.ts";
import { typesCommand } from "./types/command.ts";
import { usageCommand } from "./usage/command.ts";
import { verifyCommand } from "./verify/command.ts";

/** Hand-written commands by their words, in the order of the help. The commands of the methods are generated. */
export const ownCommands: Readonly<Record<string, Command<Context> | RouteMap<Context>>> = {
  query: queryCommand,
  shell: shellCommand,
  tables: tablesCommand,
  describe: describeCommand,
  explain: explainCommand,
  summarize: summarizeCommand,
  result: resultCommand,
  runs: runsRoute,
  cancel: cancelCommand,
  login: loginCommand,
  logout: logoutCommand,
  profiles: profilesRoute,
  types: typesCommand,
  serve: serveCommand,
  configuration: configurationCommand,
  mcp: mcpCommand,
  mock: mockCommand,
  conform: conformCommand,
  "conform-client": conformClientCommand,
  verify: verifyCommand,
  doctor: doctorCommand,
  sources: sourcesRoute,
  keys: keysRoute,
  tenants: tenantsRoute,
  usage: usageCommand,
  audit: auditRoute,
  erase: eraseCommand,
  "migrate-store": migrateStoreCommand,
  migrate: migrateRoute,
  completion: completionCommand,
};
