import type { AdversaryCase } from "./case.ts";
import { answerCases } from "./cases/answers.ts";
import { batchCases } from "./cases/batches.ts";
import { connectionCases } from "./cases/connections.ts";
import { createCases } from "./cases/creates.ts";
import { errorCases } from "./cases/errors.ts";
import { pageCases } from "./cases/pages.ts";
import { pollCases } from "./cases/polls.ts";
import { statusCases } from "./cases/statuses.ts";

/** All cases but `slowCases`. */
export const adversaryCases: readonly AdversaryCase[] = [
  ...answerCases,
  ...errorCases,
  ...statusCases,
  ...batchCases,
  ...connectionCases,
  ...createCases,
  ...pollCases,
  ...pageCases,
];
