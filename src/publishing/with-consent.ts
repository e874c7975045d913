import type { ImportOptions, ImportOutcome } from "./import-options.ts";
import type { AskingOutcome } from "./removals.ts";

/**
 * Runs an import until it has consent for its plan, or is refused it. While a person is asked the project's lock is free, so the
 * plan is made again afterwards; where it is another one, the person is asked again.
 */
export async function withConsent(
  confirm: ImportOptions["confirmRemovals"],
  run: (approvedPlan: string | undefined) => Promise<ImportOutcome | AskingOutcome>,
): Promise<ImportOutcome> {
  for (let approvedPlan: string | undefined; ;) {
    const outcome = await run(approvedPlan);
    if (outcome.status !== "asking") return outcome;
    const { removals, plan } = outcome;
    const isAgreed = await confirm?.(removals, approvedPlan !== undefined);
    if (isAgreed !== true) return { status: "refused", removals };
    approvedPlan = plan;
  }
}
