import { LabelSelector } from '#lib/schemas/policies.ts'
import { decideProposal, type Proposal } from '#server/approvals/proposal.ts'
import { findBinding, lockPlaceOf, setBindingDecided, setBindingEnded, supersedeFor } from './binding-store.ts'

type Row = NonNullable<Awaited<ReturnType<typeof setBindingDecided>>>
type Old = Awaited<ReturnType<typeof supersedeFor>>[number]

/** The proposal of a policy version for a target, enforced or in shadow. */
export const bindingProposal: Proposal<Row, Old> = {
  kind: 'policy_binding',
  noun: 'binding',
  find: findBinding,
  setEnded: setBindingEnded,
  lockPlaceOf,
  supersedeFor,
  setDecided: setBindingDecided,
  placeOf: ({ agentId, selector, environment, policyId }) => ({
    ...(agentId === null ? { selector: LabelSelector.parse(selector) } : { agentId }),
    environment,
    policyId,
  }),
  detailsOf: ({ policyVersion, mode }) => ({ policyVersion, mode }),
  detailsOfSuperseded: ({ policyVersion }) => ({ policyVersion }),
}

export const bindingDecided = decideProposal(bindingProposal)
