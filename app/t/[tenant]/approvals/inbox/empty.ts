import type { ApprovalsView } from '#lib/paths.ts'

/** What an empty list says. */
export const EMPTY: Record<ApprovalsView, { title: string; text: string }> = {
  'needs-me': {
    title: 'No approvals need you.',
    text: 'A request appears here when an agent, a release or a policy needs a decision from a group that you belong to, and you did not cause the request yourself.',
  },
  mine: {
    title: 'None of your requests are waiting for a decision.',
    text: 'Requests that you caused appear here: by starting an execution, as an owner of its agent, or through a service account that you created.',
  },
  expiring: { title: 'No approvals expire within the hour.', text: 'A request that expires counts as rejected.' },
  all: {
    title: 'No approvals are waiting.',
    text: 'Requests appear here when a policy, a release or a binding needs a person’s decision.',
  },
  decided: {
    title: 'No approvals have been decided yet.',
    text: 'Each decision is listed here, with its reason and its audit record.',
  },
}
