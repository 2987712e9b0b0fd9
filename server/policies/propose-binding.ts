import { ApiError, notFound } from '#lib/errors.ts'
import { ProposeBindingInput, ProposeBindingOutput } from '#lib/schemas/policies.ts'
import { requestApproval } from '#server/approvals/request.ts'
import { newId } from '#server/kernel/ids.ts'
import { mutation } from '#server/kernel/operation.ts'
import { bindingPresentation } from './binding-presentation.ts'
import { findActiveBinding, findBoundAgent, findPolicy, findVersion, insertBinding } from './store.ts'

const proposalTtlMs = 7 * 86_400_000

/** Proposes that a published version decides for an agent in an environment; `change-approvers` approve it. */
export const proposeBinding = mutation({
  permission: 'binding:propose',
  input: ProposeBindingInput,
  output: ProposeBindingOutput,
  audit: (input, output) => ({
    action: 'policy_binding.proposed',
    resource: { type: 'policy_binding', id: output?.bindingId ?? 'none' },
    details: { ...input, ...(output === undefined ? {} : { approvalId: output.approvalId }) },
  }),
  async run({ tx, tenant, principal, input }) {
    const agent = await findBoundAgent(tx, tenant.id, input.agentId)
    const policy = await findPolicy(tx, tenant.id, input.policyId)
    const version = await findVersion(tx, tenant.id, input.policyId, input.policyVersion)
    if (agent === undefined || policy === undefined || version === undefined) throw notFound()
    if (agent.status === 'retired') throw new ApiError('conflict', `The agent ${agent.name} is retired.`)
    if (version.status !== 'published')
      throw new ApiError('not_ready', `Version ${version.version} of ${policy.name} is a draft. Publish it first.`)
    const active = await findActiveBinding(tx, tenant.id, input)
    if (active?.policyVersion === version.version && active.mode === input.mode)
      throw new ApiError('conflict', 'This version is already active there.')

    const bindingId = newId()
    const { approvalId } = await requestApproval(tx, tenant, {
      kind: 'policy_binding',
      subjectId: bindingId,
      payload: {
        tenant: tenant.externalId,
        release: null,
        environment: input.environment,
        action: 'policy_binding.activate',
        resource: `agent/${agent.name}`,
        arguments: { policyId: policy.id, policyDigest: version.digest, mode: input.mode },
        policyVersion: version.version,
        requester: principal.memberId,
      },
      presentation: bindingPresentation({
        agent,
        policy,
        version,
        environment: input.environment,
        mode: input.mode,
        replaces: active,
      }),
      agentId: agent.id,
      requestedBy: principal.memberId,
      owners: [],
      group: 'change-approvers',
      quorum: 1,
      expiresAt: new Date(Date.now() + proposalTtlMs),
    })
    await insertBinding(tx, {
      tenantId: tenant.id,
      id: bindingId,
      ...input,
      approvalId,
      proposedBy: principal.memberId,
    })
    return { bindingId, approvalId, status: 'proposed' as const }
  },
})
