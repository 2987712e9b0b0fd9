import { create as createAgent } from '#server/agents/create.ts'
import { toolsOffered } from '#server/agents/known-tools.ts'
import { decide } from '#server/approvals/decide.ts'
import { call } from '#server/demo/act-as.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { proposeBinding } from '#server/policies/bindings/propose.ts'
import { createPolicy } from '#server/policies/create.ts'
import { createVersion } from '#server/policies/create-version.ts'
import { publishVersion } from '#server/policies/publish-version.ts'
import { propose as proposeRelease } from '#server/releases/propose.ts'
import type { CompanyAgent } from './agents.ts'

export const environment = 'production'

export const approve = (caller: Caller, approvalId: string, reason: string) =>
  call(decide, caller, 'approvals.decide', { approvalId, decision: 'approve', decisionAcknowledged: true, reason })

/** Registers an agent, writes its policy, and has both approved. Returns the agent's id. */
export async function setUpAgent(
  { manifest, policy }: CompanyAgent,
  developer: Caller,
  approver: Caller,
): Promise<string> {
  const [, server] = /server: (demo-[a-z]+)/.exec(manifest) ?? []
  // A policy is checked against the available tools.
  if (server !== undefined) await toolsOffered(developer.tenant, server)
  const { agent } = await call(createAgent, developer, 'agents.create', { yaml: manifest })
  const { name, description, source } = policy
  const { id: policyId } = await call(createPolicy, developer, 'policies.create', { name, description })
  const { version } = await call(createVersion, developer, 'policies.createVersion', { policyId, source })
  await call(publishVersion, developer, 'policies.publishVersion', { policyId, version })
  const binding = await call(proposeBinding, developer, 'policyBindings.propose', {
    agentId: agent.id,
    environment,
    policyId,
    policyVersion: version,
    mode: 'enforce',
  })
  await approve(approver, binding.approvalId, 'The rules are those that we agreed on.')
  const release = await call(proposeRelease, developer, 'releases.propose', {
    agentId: agent.id,
    version: agent.version,
    environment,
  })
  await approve(approver, release.approvalId, 'Manifest and tools reviewed.')
  return agent.id
}
