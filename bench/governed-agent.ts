import { create as createAgent } from '#server/agents/create.ts'
import { decide } from '#server/approvals/decide.ts'
import { proposeBinding } from '#server/policies/bindings/propose.ts'
import { createPolicy } from '#server/policies/create.ts'
import { createVersion } from '#server/policies/create-version.ts'
import { publishVersion } from '#server/policies/publish-version.ts'
import { propose as proposeRelease } from '#server/releases/propose.ts'
import { type Lab, perform } from './lab.ts'

const environment = 'production'
const source = `@id("allow-listed-tools")
permit (principal, action in Countersign::Action::"ToolCall", resource)
when { principal.lifecycle == "released" && principal.allowedTools.contains(resource) };`
const yaml = `apiVersion: governance/v1
kind: Agent
metadata: { name: order-desk, version: 1.0.0 }
spec:
  description: Looks up one order
  runtime:
    steps:
      - id: order
        tool: { server: payments, name: lookup_order, arguments: { id: "\${input.orderId}" } }
  tools:
    - mcp: { server: payments }
      allow: [lookup_order]
`

/** A one-step agent, governed by one policy and released. Returns the input that starts it. */
export async function governedAgent(lab: Pick<Lab, 'pipeline' | 'approver'>) {
  const { pipeline } = lab
  const approve = (approvalId: string) =>
    perform(decide, lab.approver, { approvalId, decision: 'approve', decisionAcknowledged: true, reason: 'Read it.' })
  const { agent } = await perform(createAgent, pipeline, { yaml })
  const { id: policyId } = await perform(createPolicy, pipeline, { name: 'order-desk' })
  const { version } = await perform(createVersion, pipeline, { policyId, source })
  await perform(publishVersion, pipeline, { policyId, version })
  const proposal = { agentId: agent.id, environment, policyId, policyVersion: version, mode: 'enforce' }
  await approve((await perform(proposeBinding, pipeline, proposal)).approvalId)
  const release = { agentId: agent.id, version: agent.version, environment }
  await approve((await perform(proposeRelease, pipeline, release)).approvalId)
  return { agentId: agent.id, environment, input: { orderId: 'A-1002' } }
}
