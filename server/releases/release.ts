import { setAgentActive } from '#server/agents/store.ts'
import { decideProposal, type Proposal } from '#server/approvals/proposal.ts'
import { findRelease, lockPlaceOf, setReleaseDecided, setReleaseEnded, supersedeFor } from './store.ts'

type Row = NonNullable<Awaited<ReturnType<typeof setReleaseDecided>>>

/** The proposal of a version of an agent for an environment. */
export const releaseProposal: Proposal<Row, { id: string }> = {
  kind: 'release',
  noun: 'release',
  find: findRelease,
  setEnded: setReleaseEnded,
  lockPlaceOf,
  supersedeFor,
  setDecided: setReleaseDecided,
  activated: (tx, tenantId, { agentId }) => setAgentActive(tx, tenantId, agentId),
  placeOf: ({ agentId, environment }) => ({ agentId, environment }),
  detailsOf: ({ digest }, superseded) => ({ digest, superseded: superseded.map(({ id }) => id) }),
}

export const releaseDecided = decideProposal(releaseProposal)
