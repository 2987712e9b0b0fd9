import type { GrantSimulation } from '../../schemas/approvals/grants.ts'

/** What a grant would have meant for the requests that people decided, as sentences. */
export function pastWords({ requests, matched, approved, rejected }: GrantSimulation): string {
  if (requests === 0) return 'No one decided a request for this action in the last 90 days.'
  const decided = `In the last 90 days, people decided ${requests === 1 ? 'one request' : `${requests} requests`} for this action.`
  const of = requests === 1 ? 'It' : matched === requests ? 'All of them' : `${matched} of them`
  if (matched === 0)
    return `${decided} ${requests === 1 ? 'It would not' : 'None of them would'} have run under the grant.`
  return `${decided} ${of} would have run under the grant: ${outcome(approved, rejected)}.`
}

function outcome(approved: number, rejected: number): string {
  if (rejected === 0) return `people approved ${approved === 1 ? 'it' : `all ${approved}`}`
  if (approved === 0) return `people rejected ${rejected === 1 ? 'it' : `all ${rejected}`}`
  return `people approved ${approved} and rejected ${rejected}`
}
