import * as t from '#components/texts/approvals/en.ts'
import type { ApprovalsView } from '#lib/paths.ts'

/** What an empty list says. */
export const EMPTY: Record<ApprovalsView, { title: string; text: string }> = {
  'needs-me': {
    title: t.noApprovalsNeedYou,
    text: t.requestAppearsHereWhen,
  },
  mine: {
    title: t.noneOfYourRequests,
    text: t.requestsThatYouCaused,
  },
  expiring: { title: t.noApprovalsExpireWithin, text: t.requestThatExpiresCounts },
  all: {
    title: t.noApprovalsAreWaiting,
    text: t.requestsAppearHereWhen,
  },
  decided: {
    title: t.noApprovalsHaveBeen,
    text: t.eachDecisionIsListed,
  },
}
