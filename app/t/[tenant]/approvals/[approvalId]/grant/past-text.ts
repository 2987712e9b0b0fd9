import * as t from '#components/texts/approval-grant/en.ts'
import type { GrantSimulation } from '#lib/schemas/approvals/grants.ts'

/** What a grant would have meant for the requests that people decided, as the second person reads it (lib/rules/standing-grants). */
export function pastText({ requests, matched, approved, rejected }: GrantSimulation): string {
  if (requests === 0) return t.pastNone
  const decided = t.pastDecided({ requests })
  if (matched === 0) return `${decided} ${t.pastNoneMatched({ requests })}`
  const said = t.pastMatched({
    of: requests === 1 ? 'it' : matched === requests ? 'all' : 'some',
    matched,
    outcome: rejected === 0 ? 'approved' : approved === 0 ? 'rejected' : 'both',
    approved,
    rejected,
  })
  return `${decided} ${said}`
}
