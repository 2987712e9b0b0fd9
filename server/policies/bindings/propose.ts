import { ApiError, agentNotFound, notFound } from '#lib/errors.ts'
import { definedOnly } from '#lib/json.ts'
import { ProposeBindingInput, ProposeBindingOutput } from '#lib/schemas/policies.ts'
import { findOwnerIds } from '#server/approvals/owner-store.ts'
import { requestProposal } from '#server/approvals/proposal.ts'
import { newId } from '#server/kernel/ids.ts'
import { preparedMutation } from '#server/kernel/operation.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { namedGroups } from '#server/policies/language/named-groups.ts'
import { findPolicy, findVersion } from '#server/policies/store.ts'
import { whyNotApprovable } from '#server/tenants/approvers/approvable.ts'
import { findGroup } from '#server/tenants/group-store.ts'
import { findActiveBinding, findBoundAgent, insertBinding, listLabelledAgents } from './binding-store.ts'
import { bindingPresentation } from './presentation.ts'
import { requireFit } from './require-fit.ts'

/** How many of the agents with the labels a request names. The owners of all of them count as the requester. */
const shownAgents = 20

/**
 * Proposes that a published version is enforced or runs in shadow, for an agent or for labels in an environment; approved by
 * `change-approvers`. A version that does not fit the agents' tools is rejected before an approval is requested.
 */
export const proposeBinding = preparedMutation({
  permission: 'binding:propose',
  input: ProposeBindingInput,
  output: ProposeBindingOutput,
  audit: (input, output) => ({
    action: 'policy_binding.proposed',
    resource: { type: 'policy_binding', id: output?.bindingId ?? 'none' },
    details: { ...input, approvalId: output?.approvalId },
  }),
  async prepare({ tenant, input }) {
    const version = await runtime().database.inTenant(tenant.id, (tx) =>
      findVersion(tx, tenant.id, input.policyId, input.policyVersion),
    )
    if (version?.status === 'published') await requireFit(tenant, version.source, input, input.environment)
  },
  async run({ tx, tenant, principal, input }) {
    const target = await targetOf()
    const policy = await findPolicy(tx, tenant.id, input.policyId)
    const version = await findVersion(tx, tenant.id, input.policyId, input.policyVersion)
    if (target === undefined) throw agentNotFound()
    if (policy === undefined) throw notFound('No policy has this id.')
    if (version === undefined) throw notFound(`${policy.name} does not have a version ${input.policyVersion}.`)
    if (target.kind === 'agent' && target.agent.status === 'retired')
      throw new ApiError('conflict', `The agent ${target.agent.name} is retired.`)
    if (version.status !== 'published')
      throw new ApiError('not_ready', `Version ${version.version} of ${policy.name} is a draft. Publish it first.`)
    const active = await findActiveBinding(tx, tenant.id, input)
    if (active?.policyVersion === version.version)
      throw new ApiError('conflict', 'This version is already active for this target and environment.')

    const bindingId = newId()
    const { environment, mode } = input
    const unapprovable = mode === 'enforce' ? await whyUnapprovable(target, version.source) : undefined
    const about = { target, policy, version, environment, mode, replaces: active, unapprovable }
    const presentation = bindingPresentation(about)
    const approvalId = await requestProposal(tx, tenant, {
      kind: 'policy_binding',
      subjectId: bindingId,
      presentation,
      agentId: input.agentId,
      agents: target.kind === 'agent' ? [target.agent.id] : target.agentIds,
      requestedBy: principal.memberId,
      bound: {
        release: null,
        arguments: definedOnly({ policyId: policy.id, policyDigest: version.digest, mode, selector: input.selector }),
        policyVersion: version.version,
      },
    })
    await insertBinding(tx, {
      tenantId: tenant.id,
      id: bindingId,
      ...input,
      approvalId,
      proposedBy: principal.memberId,
    })
    return { bindingId, approvalId, status: 'proposed' as const }

    /** In shadow, no one is asked. Throws if a rule names a group that does not exist: each call of it would be denied. */
    async function whyUnapprovable(to: NonNullable<typeof target>, source: string): Promise<string | undefined> {
      const owners = to.kind === 'agent' ? await findOwnerIds(tx, tenant.id, [to.agent.id]) : []
      const found: string[] = []
      for (const { stages } of namedGroups(source)) {
        for (const { group } of stages)
          if ((await findGroup(tx, tenant.id, group)) === undefined)
            throw new ApiError(
              'not_ready',
              `The approver group ${group} does not exist. Create it, or correct the rule that names it in another version.`,
            )
        const message = await whyNotApprovable(tx, tenant, stages, owners)
        if (message !== undefined && !found.includes(message)) found.push(message)
      }
      return found.length === 0 ? undefined : found.join(' ')
    }

    async function targetOf() {
      const { agentId, selector } = input
      if (selector !== undefined) {
        const labelled = await listLabelledAgents(tx, tenant.id, selector)
        const agents = labelled.slice(0, shownAgents).map(({ name }) => name)
        return { kind: 'labels' as const, selector, agents, agentIds: labelled.map(({ id }) => id) }
      }
      const agent = agentId === undefined ? undefined : await findBoundAgent(tx, tenant.id, agentId)
      return agent === undefined ? undefined : { kind: 'agent' as const, agent }
    }
  },
})
